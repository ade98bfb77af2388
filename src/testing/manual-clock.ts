import type { Clock } from '../core/clock.js';
import { numberOption } from '../core/validate.js';
import { nextTurn } from '../engine/system-clock.js';

/** A clock that stands still until it is told to move, for tests that do not wait. */
export interface ManualClock extends Clock {
  /** Timers that have neither fired nor been cleared. */
  readonly pendingTimers: number;
  /** Pending timers that would keep the process alive. */
  readonly pendingHolds: number;
  /**
   * Moves time on by `ms`, firing each timer at its own time and letting all promises settle in between.
   * Rejects with what a timer's callback threw, at the time at which it threw.
   */
  advance(ms: number): Promise<void>;
  /**
   * Moves time on by `ms` without firing anything, as after SIGSTOP or a suspend; what is overdue then fires at the
   * next {@link ManualClock.advance}.
   */
  jump(ms: number): void;
  /** Lets all promises settle without moving time. */
  settle(): Promise<void>;
}

export interface ManualClockOptions {
  /** Monotonic start, milliseconds. @defaultValue 1000 */
  now?: number;
  /** Wall-clock start, milliseconds since the epoch. @defaultValue 2026-01-01T00:00:00Z */
  wallNow?: number;
}

interface ManualTimer {
  readonly at: number;
  readonly callback: () => void;
  readonly holds: boolean;
}

/**
 * Creates a clock that only moves by hand.
 * @throws OptionError from `advance` and `jump` when `ms` is negative or not a number.
 */
export function createManualClock(options: ManualClockOptions = {}): ManualClock {
  // Not 0: that is the board's word for "never".
  let now = options.now ?? 1000;
  const wallOffset = (options.wallNow ?? 1_767_225_600_000) - now;
  const timers = new Set<ManualTimer>();

  const fireUntil = async (target: number): Promise<void> => {
    await nextTurn();
    for (let next = earliest(timers, target); next; next = earliest(timers, target)) {
      timers.delete(next);
      now = Math.max(now, next.at);
      next.callback();
      await nextTurn();
    }
  };

  return {
    get pendingTimers() {
      return timers.size;
    },
    get pendingHolds() {
      return [...timers].filter(({ holds }) => holds).length;
    },
    now: () => now,
    wallNow: () => wallOffset + now,
    setTimeout(callback, delayMs, timerOptions) {
      // Like Node.js: no timer fires in the turn that set it, and no delay is shorter than 1 ms.
      const at = now + Math.max(1, delayMs);
      const timer = { at, callback, holds: timerOptions?.keepsProcessAlive === true };
      timers.add(timer);
      return { clear: () => void timers.delete(timer) };
    },
    async advance(ms) {
      const target = now + numberOption('ms', ms, { min: 0 });
      await fireUntil(target);
      now = Math.max(now, target);
    },
    jump(ms) {
      now += numberOption('ms', ms, { min: 0 });
    },
    settle: nextTurn,
  };
}

// A Set keeps the order of insertion, so timers due at the same time fire in the order they were set.
function earliest(timers: ReadonlySet<ManualTimer>, target: number): ManualTimer | undefined {
  let first: ManualTimer | undefined;
  for (const timer of timers) {
    if (timer.at <= target && (first === undefined || timer.at < first.at)) first = timer;
  }
  return first;
}
