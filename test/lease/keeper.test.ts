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

describe('lease keeper: acquire and renew', () => {
  it('H1: is granted and renewed every ten seconds, one attempt at a time', async () => {
    const { lease, clock, control, log, inner } = await holdLease();
    expect(lease.token).toBe(1n);
    await clock.advance(100_000);
    expect(control.calls).toEqual(['acquire', ...Array.from({ length: 10 }, () => 'renew')]);
    expect(lease.view()).toMatchObject({ state: 'held', outcomes: { granted: 1, renewed: 10 } });
    expect(log.lines.map(({ fields }) => fields['event'])).toEqual(['lease_granted']);
    const call = { clock, signal: new AbortController().signal };
    expect(await inner.list({}, call)).toMatchObject([{ name: 'orders', holder: lease.holder }]);
  });

  it('nothing happens before it is started, and it starts once', async () => {
    const { lease, clock, control, context } = setUpLease();
    await clock.advance(60_000);
    expect(control.calls).toEqual([]);
    expect(lease.view().state).toBe('idle');
    expect(codeOf(() => lease.assertHeld())).toBe(true);
    lease.start(context);
    expect(() => lease.start(context)).toThrow(/started or ended before/);
  });

  it('two holders of one name are never the same, whatever name they are given', () => {
    expect(setUpLease().lease.holder).not.toBe(setUpLease().lease.holder);
    expect(setUpLease().lease.holder).toMatch(/^a#[0-9a-f]{8}-[0-9a-f]{4}$/);
  });

  it('waits while another holds it, and takes over with a higher token', async () => {
    const first = await holdLease();
    const second = setUpLease({ store: first.store }, first.clock);
    second.lease.start(second.context);
    await first.clock.advance(25_000);
    expect(second.lease.view()).toMatchObject({ state: 'acquiring' });
    expect(second.events()).toEqual(['lease_denied']);
    expect(second.missing).toEqual([true]);
    await first.lease.release();
    await first.clock.advance(2500);
    expect(second.lease.token).toBe(2n);
    expect(second.missing).toEqual([true, false]);
  });

  it('untilHeld resolves with the grant, and leaves no listener on the signal', async () => {
    const { lease, clock, context } = setUpLease();
    const waiting = lease.untilHeld(new AbortController().signal);
    const gaveUp = new AbortController();
    const stopped = lease.untilHeld(gaveUp.signal);
    gaveUp.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'HALE_ABORTED' });
    lease.start(context);
    await clock.advance(1);
    expect((await waiting).token).toBe(1n);
    expect((await lease.untilHeld()).token).toBe(1n);
    lease.stop();
    await expect(lease.untilHeld()).rejects.toMatchObject({ code: 'HALE_STATE' });
  });

  it('a process that waits for its lease lives, and one that only holds it may end', async () => {
    const { lease, clock, context } = setUpLease();
    const waiting = lease.untilHeld();
    const gaveUp = new AbortController();
    const stopped = lease.untilHeld(gaveUp.signal);
    lease.start(context);
    expect(clock.pendingHolds).toBe(1);
    gaveUp.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'HALE_ABORTED' });
    expect(clock.pendingHolds).toBe(1);
    await clock.advance(1);
    await waiting;
    expect(clock.pendingHolds).toBe(0);
  });

  it('tells a watchdog the deadline before the lease is used, and at each renewal', async () => {
    const seen: (number | undefined)[] = [];
    const set = setUpLease({ onHeld: () => void seen.push(set.deadlines.at(-1)) });
    set.lease.start(set.context);
    await set.clock.advance(1);
    const sentAt = set.clock.now();
    expect(seen).toEqual([sentAt + HARD]);
    await set.clock.advance(10_000);
    expect(set.deadlines).toEqual([sentAt + HARD, sentAt + 10_000 + HARD]);
  });

  it('H6: does not renew while the main loop does not turn', async () => {
    const { lease, clock, control } = await holdLease();
    clock.jump(60_000);
    expect(codeOf(() => lease.assertHeld())).toBe(true);
    expect(control.calls).toEqual(['acquire']);
  });

  it('text for observers goes along with the next renewal', async () => {
    const { lease, clock, inner } = await holdLease({ data: 'starting' });
    lease.update('ready');
    const read = async () =>
      (await inner.list({}, { clock, signal: new AbortController().signal }))[0]?.data;
    expect(await read()).toBe('starting');
    await clock.advance(10_000);
    expect(await read()).toBe('ready');
    expect(() => lease.update('x'.repeat(4097))).toThrow(/up to 4096/);
  });
});

describe('lease keeper: trouble', () => {
  it('an attempt that fails is tried again two seconds later, and proves nothing', async () => {
    const { lease, clock, control, events, exits } = await holdLease();
    control.fault = 'fail';
    await clock.advance(SOFT - 3000);
    expect(lease.current?.token).toBe(1n);
    control.fault = 'ok';
    await clock.advance(60_000);
    expect(control.calls.filter((name) => name === 'acquire')).toHaveLength(1);
    expect(lease.token).toBe(1n);
    expect(exits).toEqual([]);
    expect(lease.view().outcomes.error).toBe(7);
    expect(events().filter((event) => event === 'lease_renew_failed')).toHaveLength(7);
    expect(events().at(-1)).toBe('lease_renewed');
  });

  it('T4: unanswered until the soft deadline: signal, readiness, fence, then exit before the hard one', async () => {
    const order: string[] = [];
    const set = await holdLease({
      fence: ({ why, grant }) => void order.push(`fence ${why} ${grant.remainingMs()}`),
    });
    const { lease, clock, control, exits, missing, grantedAt, log } = set;
    const grant = lease.assertHeld();
    grant.signal.addEventListener('abort', () => order.push('signal'));
    control.fault = 'hang';
    await clock.advance(SOFT - 1);
    expect(grant.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(order).toEqual(['signal', 'fence expired 5000']);
    expect(lostError(grant.signal.reason)).toBe(true);
    expect(missing.at(-1)).toBe(true);
    expect(exits).toMatchObject([
      {
        at: grantedAt + SOFT,
        // A little before it would be killed, at the deadline.
        exitBy: grantedAt + HARD - 250,
        drain: true,
        reason: 'lease "orders" lost',
      },
    ]);
    expect(set.deadlines.at(-1)).toBe(grantedAt + HARD);
    expect(log.lines.at(-1)).toMatchObject({
      level: 'error',
      fields: { event: 'lease_lost', why: 'expired', fence: '1', remainingMs: 5000 },
    });
    // What is being stopped may finish; nothing new may begin.
    expect(codeOf(() => grant.assertHeld())).toBe(false);
    expect(codeOf(() => lease.assertHeld())).toBe(true);
    expect(lease.signal.aborted).toBe(true);
    await clock.advance(5000);
    expect(codeOf(() => grant.assertHeld())).toBe(true);
  });

  it('H2: an answer after that changes nothing', async () => {
    const { lease, clock, control } = await holdLease();
    control.fault = 'hang';
    await clock.advance(SOFT);
    for (const answer of control.answer) answer();
    await clock.advance(60_000);
    expect(lease.view()).toMatchObject({ state: 'lost' });
    expect(lease.view().outcomes.late).toBeGreaterThan(0);
    expect(control.calls).not.toContain('release');
  });

  it('a store that ignores its signal never has more than two calls to hang in', async () => {
    const { clock, control, context, lease } = setUpLease();
    control.fault = 'hang';
    lease.start(context);
    await clock.advance(600_000);
    expect(control.calls).toEqual(['acquire', 'acquire']);
    expect(lease.view().outcomes.timeout).toBe(2);
    control.fault = 'ok';
    for (const answer of control.answer) answer();
    await clock.advance(31_000);
    expect(lease.view().state).toBe('held');
  });

  it('H2: a refusal is the end at once, without a drain', async () => {
    const { lease, clock, inner, exits, control, log, deadlines } = await holdLease();
    const grant = lease.assertHeld();
    const call = { clock, signal: new AbortController().signal };
    await inner.release({ name: 'orders', holder: lease.holder, token: 1n }, call);
    await inner.acquire({ name: 'orders', holder: 'b', ttlMs: 30_000, data: '' }, call);
    await clock.advance(10_000);
    expect(codeOf(() => grant.assertHeld())).toBe(true);
    expect(exits).toMatchObject([{ drain: false, exitBy: clock.now() + 800 }]);
    expect(deadlines.at(-1)).toBe(clock.now() + 1000);
    expect(log.lines.at(-1)?.fields).toMatchObject({ why: 'refused', owner: 'b', ownerFence: '2' });
    await clock.advance(60_000);
    expect(control.calls).toEqual(['acquire', 'renew']);
  });

  it('H8, T5: a holder that was frozen finds out at the first write, before any timer runs', async () => {
    const { lease, clock, exits, deadlines, grantedAt } = await holdLease();
    const grant = lease.assertHeld();
    clock.jump(60_000);
    expect(codeOf(() => grant.assertHeld())).toBe(true);
    expect(grant.signal.aborted).toBe(true);
    // The deadline is past, and stays where it was.
    expect(deadlines).toEqual([grantedAt + HARD, grantedAt + HARD]);
    expect(exits).toMatchObject([{ exitBy: grantedAt + HARD }]);
  });

  it('H3: a machine that was suspended counts the time, though its monotonic clock stood still', async () => {
    const { lease, clock } = await holdLease();
    const grant = lease.assertHeld();
    clock.suspend(20_000);
    expect(codeOf(() => grant.assertHeld())).toBe(false);
    clock.suspend(20_000);
    expect(codeOf(() => grant.assertHeld())).toBe(true);
  });

  it('H3: an answer that was long on its way shortens the lease', async () => {
    const { lease, clock, control, context } = setUpLease();
    control.fault = 'hang';
    lease.start(context);
    await clock.advance(3000);
    control.answer[0]?.();
    await clock.advance(1);
    expect(lease.current?.remainingMs()).toBe(HARD - 3000);
  });

  it('H4: a registry that has forgotten its tokens grants nothing until it is ahead again', async () => {
    let token = 5n;
    const { store: inner, control } = createFaultyStore();
    const store = {
      ...inner,
      acquire: async () => ({ kind: 'granted' as const, token: token++, ttlMs: 30_000 }),
      renew: async () => ({ kind: 'lost' as const, owner: {} }),
    };
    const set = await holdLease({ store, onLost: 'pause', fence: () => {} });
    expect(set.lease.token).toBe(5n);
    token = 4n;
    await set.clock.advance(20_000);
    expect(set.events()).toContain('lease_token_regressed');
    expect(set.lease.view().outcomes.regressed).toBe(2);
    expect(set.lease.token).toBe(6n);
    expect(control.calls.filter((name) => name === 'release')).toHaveLength(2);
  });

  it('a listener that throws neither stops the fence nor the exit', async () => {
    const set = await holdLease({
      onHeld: () => {
        throw new Error('no');
      },
      fence: () => Promise.reject(new Error('neither')),
    });
    set.lease.signal.addEventListener('abort', () => {
      throw new Error('nor this');
    });
    set.control.fault = 'fail';
    await set.clock.advance(SOFT);
    expect(set.exits).toHaveLength(1);
    expect(set.events().filter((event) => event === 'lease_hook_failed')).toHaveLength(3);
  });
});
