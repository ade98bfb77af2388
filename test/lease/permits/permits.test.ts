import { describe, expect, it } from 'vitest';
import type { ExitCall } from '../../../src/core/exit-permit.js';
import {
  type ExitPermitsOptions,
  exitPermits,
  leaseCount,
  permitsFor,
} from '../../../src/lease/permits/index.js';
import { memoryLease } from '../../../src/lease/stores/memory.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';
import { behind, createInstances, network } from './support.js';

const NEVER = new AbortController().signal;
const options = { service: 'orders', instances: 10, floor: 0.3 };

function setUp(change: Partial<ExitPermitsOptions> = {}) {
  const clock = createManualClock();
  const registry = memoryLease();
  const line = network();
  const store = behind(registry, clock, line);
  const call: ExitCall = { clock, random: () => 0.5, signal: NEVER };
  const permits = exitPermits({ ...options, store, ...change });
  const ask = async () => permits.ask('check_failed:database', call);
  const names = async () =>
    (await registry.list({}, { clock, signal: NEVER })).map(({ name }) => name);
  return { clock, registry, line, store, call, permits, ask, names };
}

describe('exit permits', () => {
  it('R10: takes one of as many leases as may be out, renews it, and gives it back', async () => {
    const { clock, registry, ask, permits, call, names } = setUp();
    const first = await ask();
    expect(first).toMatchObject({ kind: 'granted', until: 1000 + 30_000 * 0.99 - 500 });
    const [record] = await registry.list({}, { clock, signal: NEVER });
    expect(record).toMatchObject({ name: 'permits/orders/3', data: 'check_failed:database' });
    await clock.advance(10_000);
    expect(await ask()).toMatchObject({ kind: 'granted', until: 11_000 + 30_000 * 0.99 - 500 });
    expect(await names()).toEqual(['permits/orders/3']);
    expect(await permits.giveBack(call)).toBe(true);
    expect(await permits.giveBack(call)).toBe(false);
    expect(await names()).toEqual([]);
  });

  it('R10: is renewed well before it ends, and asked for again at different times', async () => {
    const { ask, registry, call } = setUp({ ttlMs: 9000 });
    expect(await ask()).toMatchObject({ askAgainMs: 3000 * 0.95 });
    const one = exitPermits({ ...options, store: registry, instances: 2 });
    const full = exitPermits({ ...options, store: registry, instances: 1 });
    await one.ask('at_capacity', call);
    for (const [random, askAgainMs] of [
      [0, 1000],
      [0.99, 2980],
    ] as const)
      expect(await full.ask('at_capacity', { ...call, random: () => random })).toEqual({
        kind: 'refused',
        askAgainMs,
      });
  });

  it.each([
    [100, 0.3, 70],
    [10, 0.9, 1],
    [100, 0.07, 93],
    [3, 0.3, 2],
    [2, 0.5, 1],
    [1, 0.01, 0],
    [7, 0, 7],
    [7, 1, 0],
    [0, 0.5, 0],
  ])('R10: of %i instances with a floor of %d, %i may be out', (instances, floor, out) => {
    expect(permitsFor(instances, floor)).toBe(out);
    expect(instances - out).toBeGreaterThanOrEqual(floor * instances - 1e-6);
  });

  it('R10: no more are granted than there are, and one that is free again goes to the next', async () => {
    const clock = createManualClock();
    const fleet = createInstances({ count: 10, clock });
    for (const { instance } of fleet) instance.database(false);
    await clock.advance(5000);
    const out = fleet.filter(({ instance }) => instance.decide().status === 'fail');
    expect(out).toHaveLength(7);
    const held = fleet.filter(({ instance }) => instance.decide().status === 'warn');
    for (const { instance } of held) {
      expect(instance.decide()).toMatchObject({
        reason: 'held_by_floor:database',
        heldFor: ['check_failed:database'],
      });
      expect(instance.log.lines.map(({ fields }) => fields['event'])).toEqual([
        'stays_in_rotation',
      ]);
    }
    out[0]?.instance.database(true);
    await clock.advance(10_000 + 3000);
    expect(fleet.filter(({ instance }) => instance.decide().status === 'fail')).toHaveLength(7);
    expect(held.filter(({ instance }) => instance.decide().status === 'fail')).toHaveLength(1);
  });

  it('R10: permits in the registry of the instances are not counted as instances', async () => {
    const { clock, registry, ask } = setUp({ instances: 4, floor: 0.5 });
    await ask();
    const call = { clock, signal: NEVER };
    const request = { name: 'orders-0', holder: 'x', ttlMs: 60_000, data: '' };
    await registry.acquire(request, call);
    expect(await leaseCount(registry, '')(call)).toBe(1);
    expect(await leaseCount(registry, 'permits/')(call)).toBe(1);
  });

  it('R10: a fleet that shrinks has fewer permits, and whoever has one too many comes back', async () => {
    const { clock, ask, names, registry } = setUp({ instances: leaseCount(memoryLease(), 'i/') });
    expect(await ask()).toMatchObject({ kind: 'refused' });
    const members = memoryLease();
    const instances = leaseCount(members, 'orders-');
    const call = { clock, signal: NEVER };
    const granted: bigint[] = [];
    for (let index = 0; index < 4; index += 1) {
      const request = { name: `orders-${index}`, holder: 'x', ttlMs: 60_000, data: '' };
      const answer = await members.acquire(request, call);
      if (answer.kind === 'granted') granted.push(answer.token);
    }
    const fleet = createInstances({ count: 4, clock, store: registry, instances, floor: 0.5 });
    for (const { instance } of fleet) instance.database(false);
    await clock.advance(3000);
    expect(await names()).toHaveLength(2);
    // Of two, one may be out.
    for (const index of [0, 1])
      await members.release(
        { name: `orders-${index}`, holder: 'x', token: granted[index] as bigint },
        call,
      );
    await clock.advance(11_000);
    expect(await names()).toEqual(['permits/orders/0']);
    expect(fleet.filter(({ instance }) => instance.decide().status === 'fail')).toHaveLength(1);
  });

  /** The list is heard, the grant is not. */
  async function grantUnheard() {
    const set = setUp({ instances: 2, floor: 0.5 });
    const { clock, line, ask, names } = set;
    line.latencyMs = () => {
      if (line.calls === 2) line.mode = 'swallow';
      return 0;
    };
    const failed = ask().catch((error: unknown) => error);
    await clock.advance(1900);
    expect(await failed).toMatchObject({ message: 'no answer in time' });
    line.latencyMs = () => 0;
    line.mode = 'ok';
    expect(await names()).toEqual(['permits/orders/0']);
    return set;
  }

  it('R10: a permit that was granted without an answer is found by the next question', async () => {
    const { ask, names } = await grantUnheard();
    expect(await ask()).toMatchObject({ kind: 'granted' });
    expect(await names()).toEqual(['permits/orders/0']);
  });

  it('R10: a permit that was granted without an answer is given back', async () => {
    const { permits, call, names } = await grantUnheard();
    expect(await permits.giveBack(call)).toBe(true);
    expect(await names()).toEqual([]);
  });

  it('R10: a permit whose release was not answered is not renewed: the release may still be on its way', async () => {
    const { clock, registry, line, ask, permits, call, store } = setUp();
    let late: () => Promise<unknown> = async () => {};
    const release = store.release.bind(store);
    store.release = (claim, given) => {
      const forever = new AbortController().signal;
      late = () => registry.release(claim, { clock, signal: forever });
      return release(claim, given);
    };
    await ask();
    line.mode = 'hang';
    const failed = permits.giveBack(call).catch(() => 'not answered');
    await clock.advance(900);
    expect(await failed).toBe('not answered');
    line.mode = 'ok';
    const hanging = late;
    expect(await ask()).toMatchObject({ kind: 'granted' });
    await hanging();
    expect(await registry.list({}, { clock, signal: NEVER })).toHaveLength(1);
    expect(await ask()).toMatchObject({ kind: 'granted' });
  });

  it('R10: a grant of no time, or of none that is known, is no permit', async () => {
    for (const ttlMs of [NaN, -1, 0]) {
      const registry = memoryLease();
      const acquire = async () => ({ kind: 'granted', token: 1n, ttlMs }) as const;
      const { ask } = setUp({ store: { ...registry, acquire } });
      expect(await ask()).toMatchObject({ kind: 'refused' });
    }
  });

  it('R10: a registry that hangs gets two calls to hang in, not one for each question', async () => {
    const { clock, line, ask } = setUp();
    line.mode = 'deaf';
    for (let question = 0; question < 5; question += 1) {
      const failed = ask().catch((error: unknown) => String(error));
      await clock.advance(2000);
      expect(await failed).toMatch(/no answer in time|hang/);
    }
    expect(line.calls).toBe(2);
  });

  it('R10: a count of instances that is none is no answer', async () => {
    for (const count of [Number.NaN, -1, 1.5, undefined, 'ten'])
      await expect(setUp({ instances: () => count as number }).ask()).rejects.toThrow(
        'exitPermits.instances must give a whole number',
      );
    await expect(
      setUp({ instances: () => Promise.reject(new Error('no view')) }).ask(),
    ).rejects.toThrow('no view');
  });

  it('R10: leaves its registry open while others use it', async () => {
    let closed = 0;
    const store = { ...memoryLease(), close: () => void (closed += 1) };
    const { permits, call } = setUp({ store });
    const others = setUp({ store, service: 'carts' });
    await permits.ask('at_capacity', call);
    await others.permits.ask('at_capacity', others.call);
    permits.close();
    permits.close();
    expect(closed).toBe(0);
    others.permits.close();
    expect(closed).toBe(1);
  });

  it('R10: closes its registry, which opens again with the next question', () => {
    let closed = 0;
    const store = { ...memoryLease(), close: () => void (closed += 1) };
    exitPermits({ ...options, store }).close();
    expect(closed).toBe(1);
  });

  it.each([
    [{ store: {} }, 'exitPermits.store must be a lease store'],
    [{ service: '' }, 'exitPermits.service must be a name'],
    [{ service: 'a/b' }, 'got "a/b"'],
    [{ instances: 0 }, 'exitPermits.instances must be a whole number from 1'],
    [{ instances: 'ten' }, 'exitPermits.instances must be a number or a function, got "ten"'],
    [{ floor: 30 }, 'exitPermits.floor must be a number from 0 to 1, got 30'],
    [{ floor: undefined }, 'exitPermits.floor must be a number'],
    [{ fallback: 'maybe' }, 'exitPermits.fallback must be one of "stay", "leave"'],
    [{ holder: 'a\nb' }, 'exitPermits.holder must be 1 to 100 printable'],
    [{ ttlMs: 10 }, 'exitPermits.ttlMs must be a number from 100'],
    [{ keepMs: -1 }, 'exitPermits.keepMs must be a number from 0'],
  ])('refuses %j', (change, text) => {
    const given = { ...options, store: memoryLease(), ...change } as ExitPermitsOptions;
    expect(() => exitPermits(given)).toThrow(text);
  });
});
