/** Replaces whatever looks like a secret in a text. */
export type Redactor = (text: string) => string;

const MASK = '[redacted]';

/** Longer texts are cut first: no pattern may take long on hostile input, and outputs are cut far below this. */
const MAX_LENGTH = 8192;

const SECRET_KEYS = [
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'pass',
  'secret',
  'token',
  'api[_-]?key',
  'access[_-]?key',
  'private[_-]?key',
  'credentials?',
  'cookie',
  'session[_-]?id',
  'signature',
  'sig',
  'authorization',
  'auth',
];

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, MASK],
  // Credentials in a URL; up to the last @ of the word, since passwords hold @ and / unescaped in real life.
  [/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s"'<>]*@/gi, `$1${MASK}@`],
  // The same without a scheme: `root:hunter2@tcp(db)`.
  [/(?<![\w.%+/-])([\w.%+-]{1,64}):[^\s:@/"']{1,256}@(?=[\w([])/g, `$1:${MASK}@`],
  [
    /\b(bearer|basic|digest|negotiate|apikey)\s+(?=[^\s,;"']{6})[A-Za-z0-9._~+/=:-]+/gi,
    `$1 ${MASK}`,
  ],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, MASK],
  [/\b(?:AKIA|ASIA|AROA|AIDA|ANPA)[A-Z0-9]{12,}\b/g, MASK],
  [
    /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|xox[abeoprs]-|sk_live_|rk_live_|sk-|hvs\.|dop_v1_)[\w-]{12,}/g,
    MASK,
  ],
  [/\bAIza[\w-]{30,}/g, MASK],
  // A 40-character secret access key; a commit id is all lower-case hexadecimal and stays readable.
  [
    /(?<![\w/+=-])(?=[\w/+]*[A-Z])(?=[\w/+]*[a-z])(?=[\w/+]*\d)[A-Za-z0-9/+]{40}(?![\w/+=-])/g,
    MASK,
  ],
];

/**
 * Builds a redactor for texts that leave the process: URLs with credentials, authorization headers, well-known
 * token shapes, and the values of secret-looking keys (E7).
 * @param keys further key names whose values are secret, compared without case.
 */
export function createRedactor(keys: readonly string[] = []): Redactor {
  const names = [...SECRET_KEYS, ...keys.map(escapeRegExp)].join('|');
  const keyed = new RegExp(
    `(?<![\\w-])([\\w-]{0,64}?(?:${names})[\\w-]{0,64}["']?\\s*[:=]\\s*)` +
      `(?:"[^"]*"?|'[^']*'?|(?:(?:bearer|basic|digest|token)\\s+)?[^\\s"',;&)}\\]]+)`,
    'gi',
  );
  return (text) => {
    let result = text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text;
    for (const [pattern, replacement] of PATTERNS) result = result.replace(pattern, replacement);
    return result.replace(keyed, `$1${MASK}`);
  };
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
