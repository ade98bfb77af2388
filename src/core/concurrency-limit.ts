import { OptionError } from './errors.js';
import { integerOption, numberOption, positiveOption } from './validate.js';

/** How an admitted request went. */
export interface LimitSample {
  readonly durationMs: number;
  /** Requests being worked on when it ended, itself included. */
  readonly inFlight: number;
  /** It ended without an answer, or with one that tells of overload. */
  readonly failed: boolean;
}

/** How many requests may be worked on at once: the port for whatever finds out. */
export interface ConcurrencyLimit {
  /** The limit at this moment. */
  readonly limit: number;
  /** Called with each request that has ended. */
  observe(sample: LimitSample): void;
}

/** Additive increase, multiplicative decrease. */
export interface AimdOptions {
  /** A request that takes longer tells of overload, milliseconds: about twice the unloaded time. */
  latencyMs: number;
  /** @defaultValue 1 */
  min?: number;
  /** @defaultValue 1000 */
  max?: number;
  /** @defaultValue 20, within `min` and `max` */
  initial?: number;
  /** What is left of the limit after a sign of overload. @defaultValue 0.9 */
  backoff?: number;
}

/** A limit that stays as it is. */
export function fixedLimit(limit: number): ConcurrencyLimit {
  return { limit, observe() {} };
}

/**
 * A limit that grows by one for each limit's worth of quick requests while it is in use, and shrinks at a slow or
 * failed one.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function createAimdLimit(options: AimdOptions): ConcurrencyLimit {
  const { min, max, initial, backoff, latencyMs } = resolve(options);
  let limit = initial;
  // Requests that began under the limit before a decrease say nothing about the one after it.
  let ignore = 0;
  return {
    get limit() {
      return Math.floor(limit);
    },
    observe({ durationMs, inFlight, failed }) {
      if (ignore > 0) ignore -= 1;
      else if (failed || durationMs > latencyMs) {
        limit = Math.max(min, limit * backoff);
        ignore = inFlight - 1;
      } else if (inFlight * 2 >= limit) limit = Math.min(max, limit + 1 / limit);
    },
  };
}

function resolve(options: AimdOptions): Required<AimdOptions> {
  const min = integerOption('aimd.min', options.min ?? 1, { min: 1 });
  const max = integerOption('aimd.max', options.max ?? 1000, { min: 1 });
  if (max < min) throw new OptionError('aimd.max', `at least aimd.min (${min})`, max);
  const initial = options.initial ?? Math.min(max, Math.max(min, 20));
  return {
    min,
    max,
    initial: integerOption('aimd.initial', initial, { min, max }),
    backoff: numberOption('aimd.backoff', options.backoff ?? 0.9, { min: 0.1, max: 0.99 }),
    latencyMs: positiveOption('aimd.latencyMs', options.latencyMs),
  };
}
