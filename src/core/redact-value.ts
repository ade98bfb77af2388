import type { JsonValue } from './check.js';
import { describe } from './errors.js';

type Redact = (text: string) => string;

const MAX_LINE = 500;
const MAX_DEPTH = 4;
const MAX_ENTRIES = 50;
/** Values looked at in all: a check's result must not keep the main loop busy. */
const MAX_VALUES = 200;

/** Control characters and line separators, which would forge or break a line of a log or a header. */
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

/** A text as one redacted line of at most 500 characters. */
export function redactLine(text: string, redact: Redact): string {
  // Redaction first: it tells the end of a secret by the characters replaced here.
  const line = redact(text).replace(BREAKS, ' ').trim();
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}

/**
 * A copy of a check's value that is plain, redacted and bounded in depth, width and size, so that neither a cyclic
 * nor a huge value takes the service down. Never throws.
 */
export function redactValue(value: unknown, redact: Redact): JsonValue {
  return copyValue(value, { redact, left: MAX_VALUES }, 0);
}

interface Copying {
  readonly redact: Redact;
  left: number;
}

function copyValue(value: unknown, copying: Copying, depth: number): JsonValue {
  if (copying.left-- <= 0) return '…';
  if (typeof value === 'string') return redactLine(value, copying.redact);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object' || depth === MAX_DEPTH) return describe(value);
  try {
    return copyObject(value, copying, depth);
  } catch {
    return describe(value);
  }
}

function copyObject(value: object, copying: Copying, depth: number): JsonValue {
  // A Buffer has a key for each byte.
  if (ArrayBuffer.isView(value)) return describe(value);
  if (Array.isArray(value)) {
    const length = Math.min(value.length, MAX_ENTRIES, copying.left);
    return Array.from({ length }, (_, index) => copyValue(value[index], copying, depth + 1));
  }
  const keys = Object.keys(value).slice(0, Math.min(MAX_ENTRIES, copying.left));
  return Object.fromEntries(
    keys.map((key) => {
      const seen = seenKey(key, copying.redact);
      const item = (value as Record<string, unknown>)[key];
      return [seen.line, copyEntry(seen, item, copying, depth)];
    }),
  );
}

function copyEntry(key: SeenKey, item: unknown, copying: Copying, depth: number): JsonValue {
  const isBare = typeof item === 'boolean' || item === null || item === undefined;
  // The key decides: `password: "hunter 2"` has no pattern of its own.
  if (!isBare && key.secret) return '[redacted]';
  return copyValue(item ?? null, copying, depth + 1);
}

/** A key after redaction, and whether what it names is a secret. */
interface SeenKey {
  readonly line: string;
  readonly secret: boolean;
}

/** The same few keys come with each run of a check and each line of the log, and looking at one takes 10 µs. */
const MANY_KEYS = 500;
const LONG_KEY = 64;
const seenKeys = new WeakMap<Redact, Map<string, SeenKey>>();

function seenKey(key: string, redact: Redact): SeenKey {
  const known = seenKeys.get(redact) ?? new Map<string, SeenKey>();
  seenKeys.set(redact, known);
  const before = known.get(key);
  if (before !== undefined) return before;
  const seen = { line: redactLine(key, redact), secret: isSecretKey(key, redact) };
  // Keys can be data, each of them another.
  if (known.size < MANY_KEYS && key.length <= LONG_KEY) known.set(key, seen);
  return seen;
}

function isSecretKey(key: string, redact: Redact): boolean {
  return redact(`${key}=x1`) !== `${redact(key)}=x1`;
}
