import type { Clock, Timer } from '../core/clock.js';
import { type DrainProgress, drainText, waitingText } from '../core/drain-progress.js';

export interface DrainTerminalOptions {
  readonly clock: Clock;
  /** Writes one line. */
  write(line: string): void;
  /** What the step under way still waits for. */
  open(): readonly string[];
}

/** Tells a person at a terminal how the drain gets on: what has ended, and every second what has not. */
export interface DrainTerminal {
  tell(progress: DrainProgress): void;
  dispose(): void;
}

const EVERY_MS = 1000;

/** Creates it; it is silent before the drain begins. */
export function createDrainTerminal({ clock, write, open }: DrainTerminalOptions): DrainTerminal {
  let timer: Timer | undefined;
  const say = (text: string | undefined): void => {
    if (text !== undefined) write(`hale: ${text}\n`);
  };
  const watch = (step: Parameters<typeof waitingText>[0], endsAt: number): void => {
    timer = clock.setTimeout(() => {
      say(waitingText(step, endsAt - clock.now(), open()));
      watch(step, endsAt);
    }, EVERY_MS);
  };
  return {
    tell(progress) {
      timer?.clear();
      say(drainText(progress));
      if (progress.kind === 'step_begin') watch(progress.step, clock.now() + progress.limitMs);
    },
    dispose: () => timer?.clear(),
  };
}
