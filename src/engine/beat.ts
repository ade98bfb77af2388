import type { Board } from '../core/board.js';
import type { Clock, Timer } from '../core/clock.js';
import { spreadDelay } from '../core/delay-window.js';

export interface BeatOptions {
  readonly clock: Clock;
  readonly board: Board;
  readonly beatMs: number;
  /** Called after each beat, for what need not wake the loop again for itself; must not throw. @defaultValue nothing */
  onBeat?(): void;
}

/** Something that runs until it is disposed. */
export interface Running {
  /** Idempotent. */
  dispose(): void;
}

/** A stall counts for no more beats than this: one that is longer has said what it had to say. */
const MOST_BEATS = 600;

/** Starts the main loop's beat: the board shows when the event loop last turned (L3). */
export function startBeat({ clock, board, beatMs, onBeat }: BeatOptions): Running {
  let timer: Timer | undefined;
  let dueAt: number | undefined;
  const beat = (): void => {
    // Armed first: nothing after this line can stop the beat while the loop turns.
    timer = clock.setTimeout(beat, beatMs);
    const now = clock.now();
    board.beatLoop(now);
    for (const delayMs of dueAt === undefined ? [] : spreadDelay(now - dueAt, beatMs, MOST_BEATS))
      board.recordLoopDelay(delayMs);
    dueAt = now + beatMs;
    onBeat?.();
  };
  beat();
  return { dispose: () => timer?.clear() };
}
