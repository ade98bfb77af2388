import { MASK } from './secret-patterns.js';

/** Anywhere in a key: `DB_PASSWORD`, `clientSecret`, `x-api-key`. */
const WORDS = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'token',
  'jwt',
  '(?:api|access|account|private|encryption|signing|master|ssh)[_-]?key',
  'credentials?',
  'cookie',
  'session[_-]?id',
  'signature',
  'authorization',
];

/** Only as a word of their own: `dbPass` and `db_pass`, but neither `passing` nor `author` nor `signal`. */
const SHORT_WORDS = ['pass', 'pwd', 'sig', 'auth'];

/** Says nothing about the secret but whether there is one, as in MySQL's `using password: YES`. */
const BARE = '(?:yes|no|true|false|null|undefined)(?=[\\s"\',;&)}\\]]|$)';

const QUOTED = [
  // JSON in a JSON string.
  '\\\\"(?:[^"\\\\]|\\\\\\\\(?:\\\\["\\\\]|[^"\\\\]))*(?:\\\\")?',
  '"(?:[^"\\\\]|\\\\[^])*"?',
  "'(?:[^'\\\\]|\\\\[^])*'?",
  '`(?:[^`\\\\]|\\\\[^])*`?',
];

/** A comma ends a value only where another key follows; closing brackets at the end are not part of it. */
const PLAIN =
  '(?:[^\\s"\'&;,]|,(?!["\'\\\\]*[\\w.-]{1,64}["\'\\\\]*\\s*[:=]|\\s|$))*[^\\s"\'&;,)}\\]\\\\]';

const VALUE = `(?:${[...QUOTED, `\\[redacted\\](?:${PLAIN})?`, PLAIN].join('|')})`;

const PARAMETER = '[\\w-]+=(?:"[^"]*"?|[^\\s,;"\']*)';

/** What a header's value may be: a scheme in front, parameters behind, several cookies. */
const HEADER_VALUE = `(?:${[
  ...QUOTED,
  `(?:[\\w-]+\\s+)?(?:${PARAMETER}|${VALUE})(?:[,;]\\s*${PARAMETER})*`,
].join('|')})`;

const END = `\\]?\\\\{0,3}["'\`]?\\s*[:=]>?\\s*`;
const REPLACEMENT = `$1${MASK}`;

/** Masks all of an authorization or cookie header. */
export const secretHeaderPattern: readonly [RegExp, string] = [
  new RegExp(
    `(?<![\\w-])([\\w-]{0,64}?(?:${anyCase('authorization|cookie')})${END})${HEADER_VALUE}`,
    'g',
  ),
  REPLACEMENT,
];

/** Builds the patterns that mask what follows a secret-looking key. */
export function secretKeyPatterns(keys: readonly string[]): readonly (readonly [RegExp, string])[] {
  const names = [...[...WORDS, ...keys.map(escapeRegExp)].map(anyCase), ...SHORT_WORDS.map(asWord)];
  const key = `[\\w-]{0,64}?(?:${names.join('|')})[\\w-]{0,64}`;
  return [
    [new RegExp(`(?<![\\w-])(${key}${END})(?!${anyCase(BARE)})${VALUE}`, 'g'), REPLACEMENT],
    [new RegExp(`(?<![\\w-])(--?${key}\\s+)(?!-)${VALUE}`, 'g'), REPLACEMENT],
  ];
}

// Not the flag `i`, which would also blind `asWord` to the humps of `dbPass`.
function anyCase(pattern: string): string {
  return pattern.replace(
    /(?<!\\)[a-z]/gi,
    (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`,
  );
}

function asWord(word: string): string {
  const title = `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
  return [
    `(?<![A-Za-z])${word}(?![a-z])`,
    `(?<![A-Z])${title}(?![a-z])`,
    `(?<![A-Za-z])${word.toUpperCase()}(?![A-Za-z])`,
  ].join('|');
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
