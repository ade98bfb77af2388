/** What a secret is replaced with. */
export const MASK = '[redacted]';

/** Known shapes of secrets, each with its replacement. Every one takes time linear in the text, whatever the text. */
export const SECRET_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
    MASK,
  ],
  // Prose such as "bearer token expired" stays readable.
  [
    /\b(bearer)\s+(?!(?:auth|authentication|authorization|challenge|scheme|tokens?)\b)(?=[^\s,;"']{6})[A-Za-z0-9._~+/=:-]+/gi,
    `$1 ${MASK}`,
  ],
  // The same for "basic authentication": a credential has more than lower-case letters after its first character.
  [
    /\b((?:[Bb]asic|BASIC|[Dd]igest|[Nn]egotiate|[Aa]pi[Kk]ey|[Tt]oken)\s+)(?=[^\s,;"']{6})(?=[\w~+/-]+[A-Z\d_~+/=]|[a-z]{20})[\w.~+/=:-]+/g,
    `$1${MASK}`,
  ],
  [/(?<![\w-])eyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, MASK],
  [/\b(?:AKIA|ASIA|AROA|AIDA|ANPA)[A-Z0-9]{12,}\b/g, MASK],
  [
    /\b(?:gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt)-|xox[abeoprs]-|xapp-|[sr]k_(?:live|test)_|whsec_|sk-|hv[sb]\.|do[opr]_v1_|ya29\.|pypi-|dckr_pat_|shpat_|SG\.)[\w-]{12,}(?:\.[\w-]+)*/g,
    MASK,
  ],
  // Not `npm_lifecycle_event`.
  [/\bnpm_[A-Za-z0-9]{36}\b/g, MASK],
  [/\bAIza[\w-]{30,}/g, MASK],
  // A 40-character secret access key; a commit id is all lower-case hexadecimal and stays readable.
  [/(?<![\w/+-])(?=[\w/+]*[A-Z])(?=[\w/+]*[a-z])(?=[\w/+]*\d)[A-Za-z0-9/+]{40}(?![\w/+=-])/g, MASK],
  // SQL: ALTER USER x PASSWORD 'secret'.
  [/\b(password\s+|identified by\s+)'[^']*'?/gi, `$1${MASK}`],
];
