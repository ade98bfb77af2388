import { type LeaseTiming, hardAfterMs } from './lease-timing.js';
import type { LeaseToken } from './lease-store.js';

/**
 * Where a lease stands. `acquiring`: somebody else has it, or nobody answers. `lost`: work must stop, and what it was
 * granted never comes back. `released`: given up for good.
 */
export type LeaseState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'acquiring' }
  | HeldLease
  | LostLease
  | { readonly kind: 'released' };

/** A lease that is held. All times are monotonic milliseconds in which a suspended machine counts as elapsed. */
export interface HeldLease {
  readonly kind: 'held';
  readonly token: LeaseToken;
  /** When the request was sent that moved the deadline last. */
  readonly sentAt: number;
  /** Work is told to stop then. */
  readonly softAt: number;
  /** No work may be done from then on: the registry may hand the name to another soon after. */
  readonly hardAt: number;
}

/** A lease that is not held any more. */
export interface LostLease {
  readonly kind: 'lost';
  readonly token: LeaseToken;
  /** `refused`: the registry said so, another may have it now. `expired`: not renewed in time. */
  readonly why: 'refused' | 'expired';
  /** Work must have stopped by then; in the past when it was refused. */
  readonly hardAt: number;
}

/** What can happen to a lease. `sentAt` is taken before the request is sent (rule of every deadline here). */
export type LeaseStep =
  | { readonly kind: 'start' }
  | {
      readonly kind: 'granted';
      readonly token: LeaseToken;
      readonly sentAt: number;
      readonly ttlMs: number;
    }
  | { readonly kind: 'renewed'; readonly sentAt: number; readonly ttlMs: number }
  | { readonly kind: 'refused' }
  /** Time has passed, or an attempt said nothing. */
  | { readonly kind: 'tick' }
  /** Work has stopped; the lease may be asked for again. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'released' };

/** What the deadline is computed from, and the highest token this process has seen. */
export interface LeaseRules {
  readonly timing: LeaseTiming;
  readonly highestToken: LeaseToken;
}

/**
 * The next state of a lease. Time comes first: an answer that arrives after work was told to stop changes nothing, and a
 * token that is not above every earlier one grants nothing.
 */
export function nextLeaseState(
  before: LeaseState,
  step: LeaseStep,
  now: number,
  rules: LeaseRules,
): LeaseState {
  const state = expire(before, now);
  switch (step.kind) {
    case 'start':
      return state.kind === 'idle' ? { kind: 'acquiring' } : state;
    case 'granted':
      return state.kind === 'acquiring' ? grant(state, step, now, rules) : state;
    case 'renewed':
      return state.kind === 'held' ? extend(state, step, rules.timing) : state;
    case 'refused':
      return state.kind === 'held' ? lose(state, 'refused', Math.min(now, state.hardAt)) : state;
    case 'stopped':
      return state.kind === 'lost' ? { kind: 'acquiring' } : state;
    case 'released':
      return { kind: 'released' };
    case 'tick':
      return state;
  }
}

function expire(state: LeaseState, now: number): LeaseState {
  return state.kind === 'held' && now >= state.softAt
    ? lose(state, 'expired', state.hardAt)
    : state;
}

function lose({ token }: HeldLease, why: LostLease['why'], hardAt: number): LostLease {
  return { kind: 'lost', token, why, hardAt };
}

function grant(
  state: LeaseState,
  { token, sentAt, ttlMs }: Extract<LeaseStep, { kind: 'granted' }>,
  now: number,
  { timing, highestToken }: LeaseRules,
): LeaseState {
  const times = deadlines(sentAt, ttlMs, timing);
  // An answer this late, or of no time at all, grants nothing; nor does a registry that has forgotten.
  if (token <= highestToken || !(now < times.softAt)) return state;
  return { kind: 'held', token, ...times };
}

function extend(
  state: HeldLease,
  { sentAt, ttlMs }: Extract<LeaseStep, { kind: 'renewed' }>,
  timing: LeaseTiming,
): HeldLease {
  const times = deadlines(sentAt, ttlMs, timing);
  // Only forward: answers may overtake one another.
  return times.hardAt > state.hardAt ? { ...state, ...times } : state;
}

function deadlines(
  sentAt: number,
  ttlMs: number,
  timing: LeaseTiming,
): Pick<HeldLease, 'sentAt' | 'softAt' | 'hardAt'> {
  const hardAt = sentAt + hardAfterMs(ttlMs, timing);
  return { sentAt, hardAt, softAt: hardAt - timing.stopMs };
}
