import type { Clock, Timer } from '../../core/clock.js';

/** A clock that knows which of its timers have neither fired nor been cleared. */
export interface CountingClock extends Clock {
  readonly pendingTimers: number;
}

/** Wraps a clock, so that a timer left behind can be seen. */
export function createCountingClock(clock: Clock): CountingClock {
  const pending = new Set<Timer>();
  return {
    get pendingTimers() {
      return pending.size;
    },
    now: () => clock.now(),
    wallNow: () => clock.wallNow(),
    setTimeout(callback, delayMs, options) {
      const inner = clock.setTimeout(
        () => {
          pending.delete(timer);
          callback();
        },
        delayMs,
        options,
      );
      const timer: Timer = {
        clear() {
          pending.delete(timer);
          inner.clear();
        },
      };
      pending.add(timer);
      return timer;
    },
  };
}
