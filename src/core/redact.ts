import { OptionError } from './errors.js';
import { secretHeaderPattern, secretKeyPatterns } from './secret-keys.js';
import { MASK, SECRET_PATTERNS } from './secret-patterns.js';

/** Replaces whatever looks like a secret in a text. */
export type Redactor = (text: string) => string;

/** Longer texts are cut first: outputs are cut far below this. */
const MAX_LENGTH = 8192;

/** Texts without a secret that are remembered, and up to which length: names, fixed words, and errors that come again. */
const MANY_CLEAN = 1000;
const LONG_CLEAN = 300;

const WORD = /[^\s"'<>]+/g;

/**
 * Builds a redactor for texts that leave the process: URLs with credentials, authorization headers, well-known
 * token shapes, and the values of secret-looking keys (E7).
 * @param keys further key names whose values are secret, compared without case.
 * @throws OptionError `HALE_OPTION_INVALID` when `keys` is no list of non-empty texts.
 */
export function createRedactor(keys: readonly string[] = []): Redactor {
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== 'string' || key.trim() === '')) {
    throw new OptionError('redactKeys', 'a list of non-empty key names', keys);
  }
  // Headers first: their schemes have shapes of their own, which would tear their parameters apart.
  const patterns = [secretHeaderPattern, ...SECRET_PATTERNS, ...secretKeyPatterns(keys)];
  return rememberClean((text) => {
    let result = cut(text).replace(WORD, maskPlainCredentials);
    for (const [pattern, replacement] of patterns) result = result.replace(pattern, replacement);
    // Last: an `@` in the secret of a key would be taken for the end of credentials.
    return /@|:\/\//.test(result) ? result.replace(WORD, maskCredentials) : result;
  });
}

/**
 * Looks at a text once when there was nothing to redact in it: half of what it costs that thousands of checks fail
 * together was to look for secrets in the same words again and again. A text with a secret is never kept.
 */
function rememberClean(redact: Redactor): Redactor {
  const clean = new Set<string>();
  return (text) => {
    if (clean.has(text)) return text;
    const result = redact(text);
    if (result !== text || text.length > LONG_CLEAN) return result;
    if (clean.size >= MANY_CLEAN) clean.clear();
    clean.add(text);
    return result;
  };
}

/**
 * Masks credentials that hold nothing of a query or a list of settings. First: a password such as `x-jwt:y` would be
 * taken for a key and its value, and what stands before the key would stay.
 */
function maskPlainCredentials(word: string): string {
  const begin = word.search(/[a-z\d]:\/\//i) + 4;
  const at = word.lastIndexOf('@');
  if (begin === 3 || isInside(word, begin)) return maskDataSource(word);
  if (at < begin) return word;
  if (/[;?&=]/.test(word.slice(begin, at))) return word;
  return `${word.slice(0, begin)}${MASK}${word.slice(at)}`;
}

/** Masks the password of a data source name, `root:hunter2@tcp(db)`: only there does a protocol follow the `@`. */
function maskDataSource(word: string): string {
  const at = word.search(/@[a-z\d]{1,16}\(/i);
  const password = word.indexOf(':') + 1;
  if (password < 2 || password >= at) return word;
  return `${word.slice(0, password)}${MASK}${word.slice(at)}`;
}

/** Cut between words, since half a secret has no shape to be known by. */
function cut(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  for (let end = MAX_LENGTH; end > 0; end -= 1) {
    if (/\s/.test(text.charAt(end))) return text.slice(0, end);
  }
  return MASK;
}

/** Masks the credentials in a word, up to the last `@`: passwords hold `@` and `/` unescaped in real life. */
function maskCredentials(word: string): string {
  const begin = word.search(/[a-z\d]:\/\//i) + 4;
  const at = word.lastIndexOf('@');
  if (begin === 3) return at === -1 ? word : maskBare(word, at);
  if (at >= begin && isInside(word, begin)) return maskBare(word, at);
  if (at >= begin) return `${word.slice(0, begin)}${MASK}${word.slice(at)}`;
  // A password that a quote or a cut tore from its `@`; digits there are a port.
  const torn = /^([^/?#:[\]]+:)(?!\d+(?:\W|$)).+/;
  return word.slice(0, begin) + word.slice(begin).replace(torn, `$1${MASK}`);
}

/** Whether what looks like a scheme follows a colon, as in `root:a://b@tcp(db)`, where it is part of the password. */
function isInside(word: string, begin: number): boolean {
  return /:[a-z\d.+-]*$/i.test(word.slice(0, begin - 3));
}

/** Credentials in front of a host, without a scheme: `root:hunter2@tcp(db)`. */
function maskBare(word: string, at: number): string {
  const password = word.indexOf(':') + 1;
  const isBare = password > 1 && password < at && /[\w([]/.test(word.charAt(at + 1));
  return isBare ? `${word.slice(0, password)}${MASK}${word.slice(at)}` : word;
}
