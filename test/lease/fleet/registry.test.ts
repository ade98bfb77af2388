import { describe, expect, it } from 'vitest';
import { createObserverTime } from '../../../src/lease/fleet/observer-time.js';
import { TTL, names, setUpFleet } from './support.js';

const ALL = names(20);

async function settled() {
  const all = setUpFleet();
  for (const name of ALL) all.registry.beat(name);
  all.registry.sync();
  await all.beatFor(100_000, ALL);
  all.take();
  return all;
}

describe('a fleet whose registry fails', () => {
  it('H7: knows nothing, and judges nobody, until it is back', async () => {
    const { fleet, registry, clock, take, states } = await settled();
    registry.fail();
    registry.fail();
    expect(take()).toEqual(['registry_lost']);
    expect(new Set(Object.values(states()))).toEqual(new Set(['unknown']));
    expect(fleet.view()).toMatchObject({ registry: 'lost', counts: { unknown: 20 } });
    await clock.advance(600_000);
    expect(take()).toEqual([]);
    const waiting = fleet.synced();
    registry.sync();
    await waiting;
    expect(take()).toEqual(['registry_back']);
    expect(fleet.view()).toMatchObject({ registry: 'settling', counts: { up: 20 } });
  });

  it('H7: declares nobody down until it has been up for one ttl', async () => {
    const { fleet, registry, clock, take, beatFor } = await settled();
    registry.fail();
    await clock.advance(60_000);
    // It keeps absolute times: one has expired meanwhile, and nobody knows why.
    registry.free('a0');
    registry.sync();
    take();
    await beatFor(29_900, ALL.slice(2));
    // The other one had all the time of a new lease.
    expect(take()).toEqual(['suspect a0', 'suspect a1']);
    await beatFor(2000, ALL.slice(2));
    expect(take()).toEqual(['down a0', 'down a1']);
    expect(fleet.view().registry).toBe('up');
  });

  it('H7: holds back what a long outage let expire all at once', async () => {
    const { registry, clock, take, beatFor } = await settled();
    registry.fail();
    await clock.advance(60_000);
    for (const name of ALL) registry.free(name);
    registry.sync();
    await clock.advance(40_000);
    const told = take();
    expect(told.filter((event) => event.startsWith('down'))).toEqual([]);
    expect(told.filter((event) => event.startsWith('withheld'))).toHaveLength(20);
    // Those that live take their leases again, under new tokens.
    for (const name of ALL.slice(1)) registry.beat(name, { token: 2n });
    await beatFor(1000, []);
    expect(take().filter((event) => !event.startsWith('recovered'))).toEqual([
      'mass_loss_over',
      'down a0',
    ]);
  });

  it('H7: lets those that come back in time be as if nothing had been', async () => {
    const { registry, clock, take, beatFor, states } = await settled();
    registry.fail();
    await clock.advance(25_000);
    registry.sync();
    await clock.advance(5000);
    await beatFor(60_000, ALL);
    expect(take()).toEqual(['registry_lost', 'registry_back']);
    expect(new Set(Object.values(states()))).toEqual(new Set(['up']));
  });
});

describe('an observer that is unwell', () => {
  it('H7: blames nobody for its own pause', async () => {
    const { fleet, clock, take, beatFor } = await settled();
    // Frozen, as by SIGSTOP, for longer than any lease lives; the first thing it does is to look.
    clock.jump(120_000);
    await clock.advance(2000);
    expect(take()).toEqual([]);
    await beatFor(60_000, ALL);
    expect(take()).toEqual([]);
    expect(fleet.view()).toMatchObject({ pauses: 1, counts: { up: 20 } });
  });

  it.each([1000, 3000, 8000])(
    'H7: blames nobody for a pause that is short, but long for a ttl of %i ms',
    async (ttlMs) => {
      const { clock, registry, take } = setUpFleet();
      const beatFor = async (ms: number) => {
        for (let passed = 0; passed < ms; passed += ttlMs / 3) {
          registry.beat('a', { ttlMs });
          await clock.advance(ttlMs / 3);
        }
      };
      registry.beat('a', { ttlMs });
      registry.sync();
      await beatFor(10 * ttlMs);
      take();
      for (const pauseMs of [ttlMs / 2, ttlMs, 4900]) {
        // Frozen right before the next heartbeat; the first thing it does is to look.
        clock.jump(Math.min(pauseMs, 4900));
        await clock.advance(1);
        await beatFor(10 * ttlMs);
      }
      expect(take()).toEqual([]);
      await clock.advance(1.5 * ttlMs);
      expect(take().at(-1)).toBe('down a');
    },
  );

  it('H7: a lease whose last renewal was heard late, because of its own pause, has still expired', async () => {
    const { clock, registry, take, beatFor } = await settled();
    // Renewed just after the observer was frozen, and never again.
    clock.jump(4900);
    registry.beat('a0', { expiresInMs: TTL - 4800 });
    await beatFor(TTL - 4800, ALL.slice(1), 5000);
    registry.free('a0');
    await beatFor(1000, ALL.slice(1), 500);
    expect(take()).toEqual(['suspect a0', 'down a0']);
  });

  it('H7: counts a suspended machine as a pause, and knows that leases expired meanwhile', async () => {
    const { clock, registry, take, beatFor } = await settled();
    clock.suspend(120_000);
    registry.free('a0');
    await beatFor(1000, ALL.slice(1));
    expect(take()).toEqual(['suspect a0', 'down a0']);
  });

  it('H7: still finds what died during its pause', async () => {
    const { clock, take, beatFor } = await settled();
    clock.jump(60_000);
    await beatFor(40_000, ALL.slice(1));
    expect(take()).toEqual(['suspect a0', 'down a0']);
  });

  it('H7: widens its time-outs while its loop is late, and recovers', () => {
    const time = createObserverTime(0);
    expect(time.advance(1000, 1000)).toBe(1000);
    expect([time.advance(3000, 2000), time.unwell]).toEqual([1000 + 2000 / 1.5, 1]);
    for (let at = 5000; at <= 15_000; at += 2000) time.advance(at, at - 1000);
    expect(time.unwell).toBe(4);
    const before = time.advance(15_000);
    expect(time.advance(18_000)).toBe(before + 1000);
    for (let at = 19_000; at < 60_000; at += 1000) time.advance(at, at);
    expect(time.unwell).toBe(0);
    const well = time.advance(60_000);
    expect(time.advance(61_000, 61_000)).toBe(well + 1000);
  });

  it('H7: widens them after failures of the registry, and never runs backwards', () => {
    const time = createObserverTime(100);
    for (let failure = 0; failure < 9; failure += 1) time.stumble();
    expect(time.unwell).toBe(4);
    expect(time.advance(3100)).toBe(1100);
    expect(time.advance(0)).toBe(1100);
    expect([time.advance(99_000, 99_000), time.pauses]).toEqual([1100, 1]);
  });
});
