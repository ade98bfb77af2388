import type { CheckResult } from './check.js';

/** What a member of a consumer group is known to be in. */
export type SessionState =
  /** Not seen in its group yet. */
  | { readonly kind: 'outside' }
  | { readonly kind: 'member'; readonly beatAt: number }
  | { readonly kind: 'rebalancing'; readonly since: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'crashed'; readonly error: string; readonly restarts: boolean };

/** What happens to a member of a consumer group. */
export type SessionEvent =
  | { readonly kind: 'joined' }
  | { readonly kind: 'beat' }
  | { readonly kind: 'rebalancing' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'crashed'; readonly error: string; readonly restarts: boolean };

/** How long the group waits for a member. */
export interface SessionLimits {
  /** Without a heartbeat the group gives the member up after this. */
  readonly sessionTimeoutMs: number;
  /** Longest rebalance that is no failure. */
  readonly rebalanceTimeoutMs: number;
}

/** The state before anything is known. */
export const initialSession: SessionState = { kind: 'outside' };

/** The state after an event. */
export function nextSession(state: SessionState, event: SessionEvent, now: number): SessionState {
  switch (event.kind) {
    case 'joined':
      return { kind: 'member', beatAt: now };
    case 'beat':
      // An answer from before the rebalance ends no rebalance.
      return state.kind === 'rebalancing' ? state : { kind: 'member', beatAt: now };
    case 'rebalancing':
      return state.kind === 'rebalancing' ? state : { kind: 'rebalancing', since: now };
    case 'stopped':
      return { kind: 'stopped' };
    case 'crashed':
      return event;
  }
}

/** What a state means at a time. */
export function judgeSession(state: SessionState, now: number, limits: SessionLimits): CheckResult {
  switch (state.kind) {
    case 'outside':
      return warn('not_joined', 'the consumer has not joined its group yet');
    case 'member':
      return judgeMember(Math.round(now - state.beatAt), limits);
    case 'rebalancing':
      return judgeRebalance(Math.round(now - state.since), limits);
    case 'stopped':
      return fail('consumer_stopped', 'the consumer has been stopped');
    case 'crashed': {
      const next = state.restarts ? 'starts again by itself' : 'does not start again';
      return fail('consumer_crashed', `the consumer has crashed and ${next}: ${state.error}`);
    }
  }
}

function judgeMember(sinceHeartbeatMs: number, { sessionTimeoutMs }: SessionLimits): CheckResult {
  const observed = { observedValue: { sinceHeartbeatMs } };
  if (sinceHeartbeatMs <= sessionTimeoutMs) return { status: 'pass', ...observed };
  const output = `no heartbeat for ${sinceHeartbeatMs} ms: the group has given this member up`;
  return { ...fail('session_expired', output), ...observed };
}

function judgeRebalance(rebalancingMs: number, { rebalanceTimeoutMs }: SessionLimits): CheckResult {
  const observed = { observedValue: { rebalancingMs } };
  const output = `the group has been rebalancing for ${rebalancingMs} ms`;
  const isStuck = rebalancingMs > rebalanceTimeoutMs;
  return {
    ...(isStuck ? fail('rebalance_stuck', output) : warn('rebalancing', output)),
    ...observed,
  };
}

const warn = (code: string, output: string): CheckResult => ({ status: 'warn', code, output });
const fail = (code: string, output: string): CheckResult => ({ status: 'fail', code, output });
