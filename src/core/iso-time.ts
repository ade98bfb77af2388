/** Minutes as text up to their colon. A report tells some twenty thousand times, and formatting them was half of its cost. */
const minutes = new Map<number, string>();
const MANY_MINUTES = 1000;
const MINUTE_MS = 60_000;
/** The last instant that a `Date` can hold. */
const LAST_MS = 8.64e15;

/**
 * A wall-clock time in milliseconds since the epoch as ISO 8601 in UTC.
 * @throws RangeError when it is no time.
 */
export function isoTime(wallMs: number): string {
  const whole = Math.trunc(wallMs);
  if (!(Math.abs(whole) < LAST_MS)) return format(wallMs);
  const minute = Math.floor(whole / MINUTE_MS);
  const rest = whole - minute * MINUTE_MS;
  const seconds = String(Math.floor(rest / 1000)).padStart(2, '0');
  return `${minuteText(minute)}${seconds}.${String(rest % 1000).padStart(3, '0')}Z`;
}

function minuteText(minute: number): string {
  const known = minutes.get(minute);
  if (known !== undefined) return known;
  const text = format(minute * MINUTE_MS).slice(0, -'00.000Z'.length);
  if (minutes.size >= MANY_MINUTES) minutes.clear();
  minutes.set(minute, text);
  return text;
}

function format(wallMs: number): string {
  // A formatter, not a clock: the time is the caller's.
  // oxlint-disable-next-line eslint/no-restricted-globals
  return new Date(wallMs).toISOString();
}

/** The wall-clock time of an ISO 8601 text; `undefined` when it is none. */
export function parseIsoTime(text: string): number | undefined {
  // oxlint-disable-next-line eslint/no-restricted-globals
  const wallMs = Date.parse(text);
  return Number.isNaN(wallMs) ? undefined : wallMs;
}
