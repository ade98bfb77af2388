import { type Board, PROGRESS_SLOTS } from '../core/board.js';
import type { Clock } from '../core/clock.js';
import { HaleError } from '../core/errors.js';
import type { ProgressView } from '../core/probe-state.js';
import { durationOption, nameOption, objectOption } from '../core/validate.js';
import type { Publisher } from './publisher.js';

/** A part of the program that must keep moving (L4). */
export interface Progress {
  /** Says that it has moved; costs one store to shared memory. */
  beat(): void;
  /** Says that there is nothing to do for now: not judged until its next `beat()`. */
  rest(): void;
  /** Ends the watch; idempotent, and a later `beat()` is without effect. */
  done(): void;
}

export interface ProgressOptions {
  /** Liveness fails once no beat has come for this long. */
  stallAfterMs: number;
}

export interface ProgressRegistry {
  /**
   * Watches a part of the program from now on.
   * @throws OptionError on a bad name or `stallAfterMs`.
   * @throws HaleError `HALE_TOO_MANY` beyond {@link PROGRESS_SLOTS}.
   */
  add(name: string, options: ProgressOptions): Progress;
}

export interface ProgressRegistryOptions {
  readonly clock: Clock;
  readonly board: Board;
  readonly publisher: Publisher;
}

/** Creates a registry with every slot of the board free. */
export function createProgressRegistry(options: ProgressRegistryOptions): ProgressRegistry {
  const { clock, board, publisher } = options;
  const views = new Map<number, ProgressView>();
  const resting = new Set<ProgressView>();
  const publish = (): void =>
    publisher.patch({ progress: [...views.values()].filter((view) => !resting.has(view)) });
  return {
    add(name, options) {
      nameOption('progress (a name)', name);
      const { stallAfterMs } = objectOption(`progress.${name}`, options);
      const slot = freeSlot(views);
      const view: ProgressView = {
        slot,
        name,
        stallAfterMs: durationOption(`progress.${name}.stallAfterMs`, stallAfterMs, 100),
      };
      // Before the view is seen: the slot still holds the last beat of whoever had it before.
      board.beatProgress(slot, clock.now());
      views.set(slot, view);
      publish();
      const isOpen = (): boolean => views.get(slot) === view;
      return {
        beat() {
          if (!isOpen()) return;
          board.beatProgress(slot, clock.now());
          if (resting.delete(view)) publish();
        },
        rest() {
          if (!isOpen() || resting.has(view)) return;
          resting.add(view);
          publish();
        },
        done() {
          if (!isOpen()) return;
          views.delete(slot);
          resting.delete(view);
          publish();
        },
      };
    },
  };
}

function freeSlot(taken: ReadonlyMap<number, unknown>): number {
  for (let slot = 0; slot < PROGRESS_SLOTS; slot += 1) if (!taken.has(slot)) return slot;
  throw new HaleError(
    'HALE_TOO_MANY',
    `at most ${PROGRESS_SLOTS} parts of a program can be watched at once; call done() on those that have ended`,
  );
}
