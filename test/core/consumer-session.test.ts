import { describe, expect, it } from 'vitest';
import {
  type SessionEvent,
  initialSession,
  judgeSession,
  nextSession,
} from '../../src/core/consumer-session.js';

const limits = { sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 60_000 };
const crash = (restarts: boolean): SessionEvent => ({ kind: 'crashed', error: 'gone', restarts });

/** The result at `now` after events at their times. */
function after(
  events: readonly (readonly [SessionEvent | SessionEvent['kind'], number])[],
  now: number,
) {
  const state = events.reduce(
    (before, [event, at]) =>
      nextSession(
        before,
        typeof event === 'string' ? ({ kind: event } as SessionEvent) : event,
        at,
      ),
    initialSession,
  );
  return judgeSession(state, now, limits);
}

describe('the session of a consumer', () => {
  it('warns before it joins: a service that consumes once it is ready must become so', () => {
    expect(after([], 1e9)).toMatchObject({ status: 'warn', code: 'not_joined' });
  });

  it('passes until the last heartbeat is older than the session', () => {
    expect(after([['joined', 0]], 30_000)).toEqual({
      status: 'pass',
      observedValue: { sinceHeartbeatMs: 30_000 },
    });
    expect(after([['joined', 0]], 30_001)).toMatchObject({
      status: 'fail',
      code: 'session_expired',
      output: 'no heartbeat for 30001 ms: the group has given this member up',
    });
    expect(
      after(
        [
          ['joined', 0],
          ['beat', 29_000],
        ],
        59_000,
      ),
    ).toMatchObject({ status: 'pass' });
    expect(after([['beat', 100]], 200)).toMatchObject({ status: 'pass' });
  });

  it('warns while the group rebalances, from its first sign on, and fails when it does not end', () => {
    const rebalancing = [
      ['joined', 0],
      ['rebalancing', 100],
      ['rebalancing', 50_000],
      ['beat', 55_000],
    ] as const;
    expect(after([...rebalancing], 60_100)).toMatchObject({
      status: 'warn',
      code: 'rebalancing',
      observedValue: { rebalancingMs: 60_000 },
    });
    expect(after([...rebalancing], 60_101)).toMatchObject({
      status: 'fail',
      code: 'rebalance_stuck',
    });
    expect(after([...rebalancing, ['joined', 70_000]], 70_001)).toMatchObject({ status: 'pass' });
  });

  it('fails once stopped or crashed, and says whether it starts again', () => {
    expect(
      after(
        [
          ['joined', 0],
          ['stopped', 1],
        ],
        2,
      ),
    ).toMatchObject({ code: 'consumer_stopped' });
    expect(after([[crash(true), 0]], 1)).toMatchObject({
      status: 'fail',
      code: 'consumer_crashed',
      output: 'the consumer has crashed and starts again by itself: gone',
    });
    expect(after([[crash(false), 0]], 1).output).toContain('does not start again: gone');
    expect(
      after(
        [
          [crash(true), 0],
          ['joined', 10],
        ],
        11,
      ),
    ).toMatchObject({ status: 'pass' });
  });
});
