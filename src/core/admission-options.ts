import type { ConcurrencyLimit } from './concurrency-limit.js';
import { fixedLimit } from './concurrency-limit.js';
import { DEFAULTS } from './defaults.js';
import { OptionError } from './errors.js';
import { durationOption, integerOption } from './validate.js';

/** How many requests are worked on at once; the rest is turned away before any work (R8). */
export interface AdmissionOptions {
  /** A number, or something that finds it out, such as `createAimdLimit`. @defaultValue `capacity.leaveAt` */
  limit?: number | ConcurrencyLimit;
  /** When a rejected client may come back, milliseconds; up to twice that, at random. @defaultValue 1000 */
  retryAfterMs?: number;
}

export interface ResolvedAdmission {
  readonly limit: ConcurrencyLimit;
  readonly retryAfterMs: number;
}

/**
 * Completes the options; absent when no limit is given anywhere.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function resolveAdmission(
  options: AdmissionOptions = {},
  leaveAt?: number,
): ResolvedAdmission | undefined {
  const given = options.limit ?? leaveAt;
  const { retryAfterMs = DEFAULTS.retryAfterMs } = options;
  durationOption('admission.retryAfterMs', retryAfterMs, 0);
  return given === undefined ? undefined : { limit: toLimit(given), retryAfterMs };
}

function toLimit(given: number | ConcurrencyLimit): ConcurrencyLimit {
  if (typeof given === 'number')
    return fixedLimit(integerOption('admission.limit', given, { min: 1 }));
  const { limit, observe } = (given ?? {}) as Partial<ConcurrencyLimit>;
  if (typeof limit === 'number' && typeof observe === 'function') return given;
  throw new OptionError('admission.limit', 'a whole number from 1, or a ConcurrencyLimit', given);
}
