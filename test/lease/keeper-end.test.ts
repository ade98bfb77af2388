import { describe, expect, it } from 'vitest';
import { isHaleError } from '../../src/core/errors.js';
import { createFaultyStore, holdLease, setUpLease } from './support.js';

const lostError = (error: unknown) => isHaleError(error, 'HALE_LEASE_LOST');
const codeOf = (call: () => unknown): boolean => {
  try {
    call();
    return false;
  } catch (error) {
    return lostError(error);
  }
};
const SOFT = 24_200;
const HARD = 29_200;

describe('lease keeper: pause', () => {
  it('stops work, asks again and resumes under a new token; the old grant stays dead', async () => {
    let stopped = (): void => {};
    const held: bigint[] = [];
    const set = await holdLease({
      onLost: 'pause',
      onHeld: ({ token }) => void held.push(token),
      fence: () => new Promise<void>((resolve) => (stopped = resolve)),
    });
    const { lease, clock, control, exits, missing, deadlines } = set;
    const old = lease.assertHeld();
    control.fault = 'fail';
    await clock.advance(SOFT + 2000);
    control.fault = 'ok';
    expect(control.calls.filter((name) => name === 'acquire')).toHaveLength(1);
    stopped();
    await clock.advance(2500);
    expect(held).toEqual([1n, 2n]);
    expect(missing).toEqual([true, false, true, true, false]);
    expect(deadlines).toContain(undefined);
    expect(codeOf(() => old.assertHeld())).toBe(true);
    expect(codeOf(() => lease.assertHeld())).toBe(false);
    await clock.advance(60_000);
    expect(exits).toEqual([]);
    expect(lease.token).toBe(2n);
  });

  it.each([
    ['does not stop in time', () => new Promise(() => {}), HARD - 250],
    ['cannot be stopped', () => Promise.reject(new Error('no')), SOFT],
  ])('work that %s ends the process', async (_, fence, at) => {
    const { clock, control, exits, grantedAt } = await holdLease({ onLost: 'pause', fence });
    control.fault = 'fail';
    await clock.advance(60_000);
    expect(exits).toMatchObject([{ at: grantedAt + at, drain: false }]);
    expect(control.calls.filter((name) => name === 'acquire')).toHaveLength(1);
  });

  it('needs a fence, or nobody would know when work has stopped', () => {
    expect(() => setUpLease({ onLost: 'pause' })).toThrow(/lease.fence must be a function that/);
  });
});

describe('lease keeper: the end', () => {
  it('release gives it up for good, and another has it at once', async () => {
    const { lease, clock, inner, events, deadlines } = await holdLease();
    const grant = lease.assertHeld();
    await lease.release();
    expect(events()).toEqual(['lease_granted', 'lease_released']);
    expect(grant.signal.aborted).toBe(true);
    expect(codeOf(() => grant.assertHeld())).toBe(true);
    expect(deadlines.at(-1)).toBe(undefined);
    const call = { clock, signal: new AbortController().signal };
    const other = { name: 'orders', holder: 'b', ttlMs: 1000, data: '' };
    expect(await inner.acquire(other, call)).toMatchObject({ kind: 'granted', token: 2n });
    expect(clock.pendingTimers).toBe(0);
  });

  it('release does not wait for a registry that is gone', async () => {
    const { lease, clock, control } = await holdLease();
    control.fault = 'hang';
    const released = lease.release();
    await clock.advance(1000);
    await released;
    expect(lease.view()).toMatchObject({ state: 'released', outcomes: { timeout: 1 } });
    expect(clock.pendingTimers).toBe(0);
  });

  it('a grant that arrives after the release is given back', async () => {
    const { lease, clock, control, context, inner } = setUpLease();
    control.fault = 'hang';
    lease.start(context);
    await clock.advance(1);
    await lease.release();
    control.fault = 'ok';
    control.answer[0]?.();
    await clock.advance(1);
    const call = { clock, signal: new AbortController().signal };
    expect(control.calls).toEqual(['acquire', 'release']);
    expect(await inner.list({}, call)).toEqual([]);
  });

  it('D1: a registry that leases share is closed by the last of them', async () => {
    const { store: inner, control } = createFaultyStore();
    let closed = 0;
    const store = { ...inner, close: () => void (closed += 1) };
    const first = await holdLease({ store, name: 'first' });
    const second = await holdLease({ store, name: 'second' });
    control.fault = 'hang';
    const released = first.lease.release();
    second.lease.stop();
    expect(closed).toBe(0);
    control.answer[0]?.();
    await released;
    expect(first.events()).toContain('lease_released');
    expect(closed).toBe(1);
  });

  it('stop leaves no timer, and tells the registry nothing', async () => {
    const { lease, clock, control } = await holdLease();
    lease.stop();
    lease.stop();
    await lease.release();
    expect(clock.pendingTimers).toBe(0);
    expect(lease.signal.aborted).toBe(true);
    expect(control.calls).toEqual(['acquire']);
  });
});

describe('lease options', () => {
  it.each([
    [{ name: '' }, /lease.name must be/],
    [{ name: 'ö' }, /lease.name must be 1 to 200 printable ASCII/],
    [{ holder: 'x'.repeat(101) }, /lease.holder must be 1 to 100/],
    [{ store: {} as never }, /lease.store must be a lease store/],
    [{ onLost: 'ignore' as never }, /lease.onLost must be one of "exit", "pause"/],
    [{ impact: 'degraded' as never }, /lease.impact must be one of/],
    [{ ttlMs: 1000, renewMs: 999 }, /lease.renewMs must be less than/],
    [{ data: 7 as never }, /lease.data must be a text/],
    [{ fence: 'stop' as never }, /lease.fence must be a function/],
  ])('refuses %j', (options, text) => {
    expect(() => setUpLease(options)).toThrow(text);
  });

  it('the holder is the host and process by default', () => {
    expect(setUpLease({ holder: undefined as never }).lease.holder).toContain(`:${process.pid}#`);
  });
});
