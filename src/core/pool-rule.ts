/** What a connection pool says about itself at one moment. */
export interface PoolSample {
  /** Connections lent out or being opened. */
  readonly used: number;
  /** Connections the pool may hold. */
  readonly max: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
  /**
   * Monotonic time of the last return of a connection; undefined when the driver does not tell, in
   * which case a return is deduced from falling counts.
   */
  readonly lastReturnAt: number | undefined;
}

/** When a pool counts as busy and when as broken. */
export interface PoolLimits {
  /** Share of `max` in use above which the pool is busy, 0 to 1. */
  readonly warnAbove: number;
  /** How long requests may wait without one connection coming back. */
  readonly noReturnFailMs: number;
  /** Longest queue that is no failure. */
  readonly maxWaiting: number;
  /** Consecutive samples with a longer queue that make a failure. */
  readonly maxWaitingSamples: number;
}

/** What the rule remembers between samples. */
export type PoolState =
  | { readonly queue: 'empty' }
  | {
      readonly queue: 'waiting';
      /** Since when requests wait and nothing has come back. */
      readonly stuckSince: number;
      readonly samplesOverCeiling: number;
      readonly used: number;
      readonly waiting: number;
    };

/** What the rule finds. */
export type PoolFinding =
  | { readonly kind: 'ok' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'stuck'; readonly stuckMs: number }
  | { readonly kind: 'queue_too_long'; readonly samples: number };

/** The state of a pool that has not been looked at yet. */
export const initialPoolState: PoolState = { queue: 'empty' };

/**
 * Saturated is not broken (C8): a pool fails only when requests wait and no connection has come back
 * for `noReturnFailMs`, or when the queue is over its ceiling for several samples in a row.
 */
export function judgePool(
  state: PoolState,
  sample: PoolSample,
  now: number,
  limits: PoolLimits,
): { state: PoolState; finding: PoolFinding } {
  const next = nextState(state, sample, now, limits);
  return { state: next, finding: findingOf(next, sample, now, limits) };
}

function nextState(
  state: PoolState,
  sample: PoolSample,
  now: number,
  limits: PoolLimits,
): PoolState {
  const { used, waiting } = sample;
  if (waiting <= 0) return initialPoolState;
  const before = state.queue === 'waiting' ? state.samplesOverCeiling : 0;
  const samplesOverCeiling = waiting > limits.maxWaiting ? before + 1 : 0;
  const stuckSince = stuckSinceOf(state, sample, now);
  return { queue: 'waiting', stuckSince, samplesOverCeiling, used, waiting };
}

function stuckSinceOf(state: PoolState, sample: PoolSample, now: number): number {
  // An idle hour before the queue formed is no evidence, so the clock starts with the queue.
  if (state.queue === 'empty') return now;
  const { lastReturnAt } = sample;
  if (lastReturnAt !== undefined) return Math.max(state.stuckSince, lastReturnAt);
  return sample.used < state.used || sample.waiting < state.waiting ? now : state.stuckSince;
}

function findingOf(
  state: PoolState,
  sample: PoolSample,
  now: number,
  limits: PoolLimits,
): PoolFinding {
  if (state.queue === 'waiting') {
    const stuckMs = now - state.stuckSince;
    if (stuckMs >= limits.noReturnFailMs) return { kind: 'stuck', stuckMs };
    const { samplesOverCeiling: samples } = state;
    if (samples >= limits.maxWaitingSamples) return { kind: 'queue_too_long', samples };
  }
  return { kind: sample.used > limits.warnAbove * sample.max ? 'busy' : 'ok' };
}
