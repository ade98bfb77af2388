/** A wall-clock time in milliseconds since the epoch as ISO 8601 in UTC. */
export function isoTime(wallMs: number): string {
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
