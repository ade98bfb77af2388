import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import { OptionError } from '../core/errors.js';
import { choiceOption } from '../core/validate.js';

/** The part of a `CircuitBreaker` of opossum (8, 9) that {@link opossumBreaker} reads. */
export interface OpossumBreakerLike {
  readonly name: string;
  readonly opened: boolean;
  readonly halfOpen: boolean;
  readonly closed: boolean;
  readonly enabled: boolean;
  readonly isShutdown: boolean;
}

/** The part of a `CircuitBreakerPolicy` of cockatiel (3) that {@link cockatielBreaker} reads. */
export interface CockatielBreakerLike {
  /** 0 closed, 1 open, 2 half open, 3 isolated. */
  readonly state: number;
}

/** Options of {@link opossumBreaker} and {@link cockatielBreaker}. */
export interface BreakerOptions extends CheckOptions {
  /** The status while calls are refused. @defaultValue 'warn' */
  whenOpen?: 'warn' | 'fail';
}

type BreakerState = 'closed' | 'open' | 'half_open' | 'isolated' | 'shut_down' | 'disabled';

/**
 * Reads the state of an opossum circuit breaker; never fires it, so the check cannot open or close it.
 *
 * - pass: it is closed, or disabled.
 * - warn: it is half open (`breaker_half_open`), or it is open or shut down (`breaker_open`, `breaker_shut_down`).
 * - fail: with `whenOpen: 'fail'`, it is open or shut down.
 *
 * Suggested impact: `degraded` or `optional`. Cost: five property reads per run, no I/O.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no breaker or an option out of range
 */
export function opossumBreaker(breaker: OpossumBreakerLike, options: BreakerOptions = {}): Check {
  if (typeof breaker?.opened !== 'boolean' || typeof breaker.halfOpen !== 'boolean') {
    throw new OptionError('opossumBreaker.breaker', 'a CircuitBreaker of opossum', breaker);
  }
  return breakerCheck('opossumBreaker', () => opossumState(breaker), options);
}

function opossumState({ isShutdown, enabled, opened, halfOpen }: OpossumBreakerLike): BreakerState {
  if (isShutdown) return 'shut_down';
  if (!enabled) return 'disabled';
  if (halfOpen) return 'half_open';
  return opened ? 'open' : 'closed';
}

const COCKATIEL_STATES: readonly BreakerState[] = ['closed', 'open', 'half_open', 'isolated'];

/**
 * Reads the state of a cockatiel circuit breaker; never executes anything through it. An open one turns half open with
 * the next call only: without calls it stays open.
 *
 * - pass: it is closed.
 * - warn: it is half open (`breaker_half_open`), open or held open (`breaker_open`, `breaker_isolated`).
 * - fail: with `whenOpen: 'fail'`, it is open or held open; or its state is none that is known.
 *
 * Suggested impact: `degraded` or `optional`. Cost: one property read per run, no I/O.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no breaker or an option out of range
 */
export function cockatielBreaker(
  breaker: CockatielBreakerLike,
  options: BreakerOptions = {},
): Check {
  if (typeof breaker?.state !== 'number') {
    const accepted = 'a circuit breaker policy of cockatiel';
    throw new OptionError('cockatielBreaker.breaker', accepted, breaker);
  }
  const read = () => {
    const state = COCKATIEL_STATES[breaker.state];
    if (state === undefined) throw new Error(`state ${breaker.state} is none of cockatiel 3`);
    return state;
  };
  return breakerCheck('cockatielBreaker', read, options);
}

function breakerCheck(name: string, read: () => BreakerState, options: BreakerOptions): Check {
  const { whenOpen = 'warn', ...checkOptions } = options;
  choiceOption(`${name}.whenOpen`, whenOpen, ['warn', 'fail']);
  return {
    componentType: 'component',
    measurement: 'breaker',
    impact: 'degraded',
    ...checkOptions,
    run: () => judge(read(), whenOpen),
  };
}

function judge(state: BreakerState, whenOpen: 'warn' | 'fail'): CheckResult {
  const observedValue = state;
  if (state === 'closed' || state === 'disabled') return { status: 'pass', observedValue };
  const status = state === 'half_open' ? 'warn' : whenOpen;
  const output = `the circuit breaker is ${state.replace('_', ' ')}`;
  return { status, code: `breaker_${state}`, output, observedValue };
}
