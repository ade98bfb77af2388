import type { Clock } from '../../core/clock.js';

/** One moment by both clocks. */
export interface Moment {
  /** Monotonic milliseconds. */
  readonly now: number;
  /** Wall-clock milliseconds, for display. */
  readonly wallNow: number;
}

/** This moment. */
export function momentOf(clock: Pick<Clock, 'now' | 'wallNow'>): Moment {
  return { now: clock.now(), wallNow: clock.wallNow() };
}

/** The wall-clock time of another monotonic time. */
export function wallTimeOf(at: number, { now, wallNow }: Moment): number {
  return wallNow - (now - at);
}
