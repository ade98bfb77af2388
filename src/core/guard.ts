import { DEFAULTS } from './defaults.js';
import { HaleError, OptionError } from './errors.js';
import {
  durationOption,
  functionOption,
  integerOption,
  nameOption,
  objectOption,
} from './validate.js';

/**
 * Looks at the process itself and says whether it is sound. Synchronous by type: a check of anything outside the
 * process cannot be registered as a guard (L2).
 */
export type GuardPredicate = () => boolean;

export interface GuardOptions {
  isSound: GuardPredicate;
  /** Consecutive bad samples before liveness fails. @defaultValue 3 */
  samples?: number;
  /** Time between samples. @defaultValue 5000 */
  everyMs?: number;
}

/** A guard with its options complete. */
export interface Guard {
  readonly name: string;
  readonly isSound: GuardPredicate;
  readonly samples: number;
  readonly everyMs: number;
}

/**
 * Completes a guard's options and calls it once, so that a promise is found at start-up and not at the first stall.
 * @throws OptionError on a bad option.
 * @throws HaleError `HALE_GUARD_ASYNC` when the predicate returns a promise.
 */
export function createGuard(name: string, guard: GuardPredicate | GuardOptions): Guard {
  const path = `liveness.guards.${nameOption('liveness.guards (a guard name)', name)}`;
  const options = typeof guard === 'function' ? { isSound: guard } : objectOption(path, guard);
  const complete: Guard = {
    name,
    isSound: functionOption(`${path}.isSound`, options.isSound),
    samples: integerOption(`${path}.samples`, options.samples ?? DEFAULTS.guard.samples, {
      min: 1,
      max: 1000,
    }),
    everyMs: durationOption(`${path}.everyMs`, options.everyMs ?? DEFAULTS.guard.everyMs, 100),
  };
  sampleGuard(complete);
  return complete;
}

/**
 * Calls a guard once.
 * @throws HaleError `HALE_GUARD_ASYNC` on a promise.
 * @throws OptionError when anything but a boolean comes back.
 */
export function sampleGuard({ name, isSound }: Guard): boolean {
  const sound: unknown = isSound();
  if (typeof sound === 'boolean') return sound;
  if (typeof (sound as { then?: unknown } | null | undefined)?.then === 'function') {
    // Nobody will await it; without a handler its rejection would end the process.
    void Promise.resolve(sound).catch(() => {});
    throw new HaleError(
      'HALE_GUARD_ASYNC',
      `liveness.guards.${name} must be synchronous, got a promise: liveness looks only at the process; make it a check instead`,
    );
  }
  throw new OptionError(`liveness.guards.${name} (its result)`, 'true or false', sound);
}

/** Consecutive bad samples after one more; a good one starts over. */
export function countBadSamples(before: number, sound: boolean): number {
  return sound ? 0 : before + 1;
}
