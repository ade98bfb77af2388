import type { Random } from './clock.js';

/** Pace at which clients may come back to whoever takes over: ten a second need no spreading. */
const PER_CLIENT_MS = 100;
/** The rest of the window is for the closing handshakes. */
const SHARE = 0.8;

/**
 * When each of a number of clients is told to leave, in milliseconds from now: at random over a time that grows with
 * their number, so that they do not all reconnect at once, and ends well before `windowMs`.
 */
export function spreadDelays(count: number, windowMs: number, random: Random): readonly number[] {
  const overMs = Math.min(Math.max(0, windowMs) * SHARE, count * PER_CLIENT_MS);
  return Array.from({ length: count }, () => Math.floor(random() * overMs));
}
