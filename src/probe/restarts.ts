import type { Clock } from '../core/clock.js';

/** Decides when an ended thread is started again. */
export interface Restarts {
  /** Time to wait before the next start; `undefined` when it has been tried often enough. */
  nextDelayMs(): number | undefined;
}

const FIRST_DELAY_MS = 100;
const MAX_IN_A_ROW = 6;

/** A thread that ran this long was sound; its end starts a new count. */
const SOUND_AFTER_MS = 60_000;

/** Creates the count: 100 ms, doubling, six times in a row. */
export function createRestarts(clock: Pick<Clock, 'now'>): Restarts {
  let inARow = 0;
  let lastAt = -Infinity;
  return {
    nextDelayMs() {
      const now = clock.now();
      if (now - lastAt > SOUND_AFTER_MS) inARow = 0;
      lastAt = now;
      if (inARow === MAX_IN_A_ROW) return undefined;
      inARow += 1;
      return FIRST_DELAY_MS * 2 ** (inARow - 1);
    },
  };
}
