import type { Random } from './clock.js';

const JITTER = 0.2;

export interface DelayInput {
  /** Whether the last outcome agrees with the verdict. */
  readonly settled: boolean;
  readonly intervalMs: number;
  readonly recheckMs: number;
  readonly random: Random;
}

/**
 * Pause before the next run, counted from the end of the last: the interval, or the quick re-check while the verdict
 * is not settled, ± 20 % so that replicas started together drift apart (C3).
 */
export function nextDelayMs({ settled, intervalMs, recheckMs, random }: DelayInput): number {
  const base = settled ? intervalMs : Math.min(recheckMs, intervalMs);
  return base * (1 - JITTER + 2 * JITTER * random());
}

/** Random pause before the very first run, so that replicas started together do not check together. */
export function firstDelayMs(longestMs: number, random: Random): number {
  return longestMs * random();
}

/** The latest time at which a check with this schedule must have delivered again before its result expires (R3). */
export function expiresAfterMs(intervalMs: number, timeoutMs: number): number {
  return 3 * (intervalMs + timeoutMs);
}
