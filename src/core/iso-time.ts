/** A wall-clock time in milliseconds since the epoch as ISO 8601 in UTC. */
export function isoTime(wallMs: number): string {
  // A formatter, not a clock: the time is the caller's.
  // oxlint-disable-next-line eslint/no-restricted-globals
  return new Date(wallMs).toISOString();
}
