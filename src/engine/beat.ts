import type { Board } from '../core/board.js';
import type { Clock, Timer } from '../core/clock.js';

export interface BeatOptions {
  readonly clock: Clock;
  readonly board: Board;
  readonly beatMs: number;
}

/** Something that runs until it is disposed. */
export interface Running {
  /** Idempotent. */
  dispose(): void;
}

/** Starts the main loop's beat: the board shows when the event loop last turned (L3). */
export function startBeat({ clock, board, beatMs }: BeatOptions): Running {
  let timer: Timer | undefined;
  const beat = (): void => {
    // Armed first: nothing after this line can stop the beat while the loop turns.
    timer = clock.setTimeout(beat, beatMs);
    board.beatLoop(clock.now());
  };
  beat();
  return { dispose: () => timer?.clear() };
}
