import { DEFAULTS } from '../../core/defaults.js';
import { OptionError } from '../../core/errors.js';
import type { LeaseCall, LeaseStore } from '../../core/lease-store.js';
import {
  choiceOption,
  durationOption,
  integerOption,
  nameOption,
  numberOption,
  objectOption,
} from '../../core/validate.js';
import { holderOption, storeOption } from '../resolve-lease.js';
import { PERMITS } from './permit-names.js';

/** Options of `exitPermits`. */
export interface ExitPermitsOptions {
  /** The registry; best one that does not go down together with what the instances depend on. */
  store: LeaseStore;
  /** Whose instances share the floor: 1 to 64 letters, digits, spaces, dots, underscores or hyphens. */
  service: string;
  /** How many instances there are: a number, or a function that finds it out at each question. */
  instances: number | ((call: LeaseCall) => number | Promise<number>);
  /** Share of the instances that stays in rotation, from 0 to 1; rounded up to whole instances. */
  floor: number;
  /**
   * What an instance does while the registry does not answer and it has no permit that lasts. `'stay'` keeps the floor
   * whatever happens, also for an instance that is alone in being cut off; `'leave'` gives the floor up meanwhile.
   * @defaultValue 'stay'
   */
  fallback?: 'stay' | 'leave';
  /** Who this is, for people; a random part is added. @defaultValue the host name and the process id */
  holder?: string;
  /** How long the registry keeps the permit of an instance that does not renew it, milliseconds. @defaultValue 30000 */
  ttlMs?: number;
  /** How long a permit is kept after this instance is ready again, milliseconds. @defaultValue 10000 */
  keepMs?: number;
}

/** The options of permits after defaults. */
export interface ResolvedExitPermits {
  readonly store: LeaseStore;
  readonly prefix: string;
  readonly floor: number;
  readonly fallback: 'stay' | 'leave';
  readonly holder: string;
  readonly ttlMs: number;
  readonly keepMs: number;
  /** @throws RangeError when the caller's function gives no number of instances */
  instances(call: LeaseCall): Promise<number>;
}

const SHORTEST_TTL_MS = 100;

/**
 * Fills in defaults.
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function resolveExitPermits(given: ExitPermitsOptions): ResolvedExitPermits {
  const options = objectOption('exitPermits', given);
  const {
    fallback = 'stay',
    ttlMs = DEFAULTS.lease.ttlMs,
    keepMs = DEFAULTS.keepPermitMs,
  } = options;
  const store = storeOption('exitPermits.store', options.store);
  const shortestMs = Math.max(SHORTEST_TTL_MS, store.minTtlMs ?? 1);
  return {
    store,
    prefix: `${PERMITS}${nameOption('exitPermits.service', options.service)}/`,
    floor: numberOption('exitPermits.floor', options.floor, { min: 0, max: 1 }),
    fallback: choiceOption('exitPermits.fallback', fallback, ['stay', 'leave']),
    holder: holderOption('exitPermits.holder', options.holder),
    ttlMs: durationOption('exitPermits.ttlMs', ttlMs, shortestMs),
    keepMs: durationOption('exitPermits.keepMs', keepMs, 0),
    instances: instancesOption(options.instances),
  };
}

function instancesOption(given: ExitPermitsOptions['instances']): ResolvedExitPermits['instances'] {
  if (typeof given === 'function') return async (call) => checkCount(await given(call));
  if (typeof given !== 'number')
    throw new OptionError('exitPermits.instances', 'a number or a function', given);
  const count = integerOption('exitPermits.instances', given, { min: 1, max: 100_000 });
  return () => Promise.resolve(count);
}

function checkCount(count: unknown): number {
  if (Number.isSafeInteger(count) && (count as number) >= 0) return count as number;
  throw new RangeError('exitPermits.instances must give a whole number from 0');
}

/** What binary fractions make of a product: 100 × 0.07 is a little more than 7. */
const ROUNDING = 1e-9;

/** How many of so many instances may be out at once: all but the floor, which is rounded up. */
export function permitsFor(instances: number, floor: number): number {
  return Math.max(0, instances - Math.ceil(instances * floor - ROUNDING));
}
