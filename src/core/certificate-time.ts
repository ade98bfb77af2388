/** A time as OpenSSL prints it, such as `Nov 30 04:16:23 2026 GMT`, in milliseconds since the epoch; NaN otherwise. */
export function certificateTime(text: string): number {
  // A parser, not a clock.
  // oxlint-disable-next-line eslint/no-restricted-globals
  return Date.parse(text);
}
