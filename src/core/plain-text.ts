/**
 * Control characters and line separators, which steer a terminal or break a line, and the marks that turn the direction
 * of writing, which make a text read as another one.
 */
const STEERING = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

const MAX_TEXT = 500;

/** A text from outside as one line of at most 500 characters that steers nothing, for a page or a terminal. */
export function plainText(text: string): string {
  const line = text
    .slice(0, 2 * MAX_TEXT)
    .replace(STEERING, ' ')
    .trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}
