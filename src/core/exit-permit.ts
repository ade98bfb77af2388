import type { Clock, Random } from './clock.js';
import { OptionError } from './errors.js';
import type { Reason } from './reason.js';

/**
 * Asked before this instance leaves rotation for a reason that may hit every replica at once; `false` keeps it in
 * (R10). One that throws, or gives no answer within 2 s, is logged and counts as yes. A view of the fleet answers it;
 * without one every instance decides for itself.
 */
export type MayLeave = (reason: Reason) => boolean | Promise<boolean>;

/** What each question to {@link ExitPermits} is given. */
export interface ExitCall {
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Answers to {@link ExitPermits.ask}. */
export type ExitAnswer =
  | {
      readonly kind: 'granted';
      /** Monotonic time at which the permit ends unless it is asked for again. @defaultValue it does not end */
      readonly until?: number;
      /** When to ask again, milliseconds from now. @defaultValue never */
      readonly askAgainMs?: number;
    }
  | {
      readonly kind: 'refused';
      /** When to ask again, milliseconds from now. @defaultValue 1000 */
      readonly askAgainMs?: number;
    };

/**
 * Permits to leave rotation for a reason that may hit every replica at once, of which there are so many that a floor of
 * instances stays in (R10). `exitPermits()` of `hale/lease/permits` keeps them in a registry of leases.
 */
export interface ExitPermits {
  /** What this instance does while nobody answers: one that stays keeps the floor whatever happens. */
  readonly fallback: 'stay' | 'leave';
  /** The first question comes after up to this many milliseconds, at random: a fleet finds out in the same second. */
  readonly spreadMs: number;
  /** For how long a permit is kept once this instance is ready again, milliseconds. */
  readonly keepMs: number;
  /** From a question that failed to the next, milliseconds; without it an instance that has left is not asked for again. */
  readonly retryMs?: number;
  /** Takes a permit, or keeps the one this instance has. One that rejects, or takes longer than 2 s, is no answer. */
  ask(reason: Reason, call: ExitCall): ExitAnswer | Promise<ExitAnswer>;
  /** Gives back what this instance has; `false` when that was nothing. */
  giveBack(call: ExitCall): Promise<boolean>;
  /** Closes what is open; a later question opens it again. Never throws. */
  close(): void;
}

/** Where this instance stands with its permit to leave rotation. */
export const EXIT_PERMIT_STATES = [
  /** It may be out: nobody hands out permits, or it has not been in rotation yet. */
  'not_needed',
  /** It is in, and must have one before it leaves. */
  'needed',
  'asked',
  'granted',
  'refused',
] as const;

export type ExitPermitState = (typeof EXIT_PERMIT_STATES)[number];

/** How a question ended, or what became of a permit: a bounded label for metrics. */
export const EXIT_PERMIT_OUTCOMES = [
  'granted',
  'refused',
  /** Asked for again while it is held, and granted again. */
  'kept',
  /** Asked for again while it is held, and refused. */
  'lost',
  /** No answer: the fallback applies, or the permit at hand while it lasts. */
  'failed',
  'given_back',
] as const;

export type ExitPermitOutcome = (typeof EXIT_PERMIT_OUTCOMES)[number];

/** How often each outcome was seen. */
export type ExitPermitCounts = Readonly<Record<ExitPermitOutcome, number>>;

/** Whether an instance in this state may be out of rotation for a shared reason. */
export function mayBeOut(state: ExitPermitState): boolean {
  return state === 'not_needed' || state === 'granted';
}

const METHODS = ['ask', 'giveBack', 'close'] as const;

/**
 * Returns the permits that an option gives.
 * @throws OptionError when it is neither a function nor permits.
 */
export function exitPermitsOption(option: string, given: MayLeave | ExitPermits): ExitPermits {
  if (typeof given === 'function') return permitsBy(given);
  const complete = METHODS.every((method) => typeof given?.[method] === 'function');
  if (complete) return given;
  throw new OptionError(option, 'a function, or permits such as exitPermits()', given);
}

/** Permits by a function of the caller's own, which is asked once for each time this instance leaves. */
export function permitsBy(mayLeave: MayLeave): ExitPermits {
  // Only `false` keeps an instance in; whoever answers at once is heard at once.
  const answered = (may: unknown): ExitAnswer => ({ kind: may === false ? 'refused' : 'granted' });
  return {
    fallback: 'leave',
    spreadMs: 0,
    keepMs: 0,
    ask(reason) {
      const may: unknown = mayLeave(reason);
      return may instanceof Promise ? may.then(answered) : answered(may);
    },
    giveBack: () => Promise.resolve(false),
    close() {},
  };
}
