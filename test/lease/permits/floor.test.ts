import { afterEach, describe, expect, it } from 'vitest';
import type { ExitPermits, MayLeave } from '../../../src/core/exit-permit.js';
import { createHealth } from '../../../src/create-health.js';
import type { Health } from '../../../src/health.js';
import { exitPermits } from '../../../src/lease/permits/index.js';
import { memoryLease } from '../../../src/lease/stores/memory.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';
import { type FleetOptions, createInstances, seeded } from './support.js';

const COUNT = 100;
const FLOOR = 30;
const opened: Health[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((health) => health.dispose()));
});

const takenIn = async (registry: ReturnType<typeof memoryLease>, clock: { now(): number }) =>
  (await registry.list({}, { clock, signal: new AbortController().signal } as never)).length;

/** Whole instances in one virtual time, each with a check of the one thing they share. */
async function startWhole(
  count: number,
  source: (options: Parameters<typeof exitPermits>[0]) => ExitPermits | MayLeave = exitPermits,
) {
  const clock = createManualClock();
  const random = seeded(7);
  const registry = memoryLease();
  const shared = { up: true };
  const inRotation = new Set<Health>();
  let fewest = count;
  const add = () => {
    const health = createHealth({
      ...{ clock, random, env: {}, isolation: 'inline', probes: false, diagnostic: false },
      signals: false,
      logger: { info() {}, warn() {}, error() {} },
      checks: {
        database() {
          if (!shared.up) throw new Error('connection refused');
        },
      },
      mayLeave: source({
        store: registry,
        service: 'orders',
        instances: count,
        floor: FLOOR / COUNT,
      }),
    });
    opened.push(health);
    // Told at the instant of each change: nothing falls between two samples.
    health.onChange((change) => {
      if (change.kind !== 'readiness') return;
      if (change.to.status === 'fail') inRotation.delete(health);
      else inRotation.add(health);
      fewest = Math.min(fewest, inRotation.size);
    });
    return health;
  };
  const healths = Array.from({ length: count }, add);
  await Promise.all(healths.map((health) => health.start()));
  await clock.advance(2000);
  fewest = count;
  const figures = async () => ({
    ready: inRotation.size,
    fewest,
    taken: await takenIn(registry, clock),
  });
  const reasons = () => healths.map((health) => health.report().readiness.reason);
  return { clock, shared, healths, add, figures, reasons };
}

describe('a floor of whole instances', () => {
  it('R10: with a shared dependency down and a floor of 30 %, 30 of 100 stay, at every instant', async () => {
    const { clock, shared, figures, reasons } = await startWhole(COUNT);
    shared.up = false;
    await clock.advance(12_000);
    expect(await figures()).toEqual({ ready: 30, fewest: 30, taken: 70 });
    expect(reasons().filter((reason) => reason === 'held_by_floor:database')).toHaveLength(30);
    expect(reasons().filter((reason) => reason === 'check_failed:database')).toHaveLength(70);
    shared.up = true;
    await clock.advance(20_000);
    expect(await figures()).toEqual({ ready: 100, fewest: 30, taken: 0 });
  }, 60_000);

  it('R10: a permit source that always says yes breaks the floor, so this would be seen', async () => {
    const { clock, shared, figures } = await startWhole(10, () => () => true);
    shared.up = false;
    await clock.advance(10_000);
    expect(await figures()).toMatchObject({ fewest: 0 });
  });

  it('R10: local reasons need no permit: all may drain, or be in maintenance', async () => {
    const { clock, healths, figures } = await startWhole(10);
    for (const health of healths.slice(0, 5)) health.maintenance(true);
    for (const health of healths.slice(5)) void health.shutdown();
    await clock.advance(1);
    expect(await figures()).toMatchObject({ ready: 0, taken: 0 });
  });

  it('R10: an instance that starts while the dependency is down stays out without a permit', async () => {
    const { clock, shared, add, figures } = await startWhole(10);
    shared.up = false;
    await clock.advance(10_000);
    const late = add();
    await late.start();
    await clock.advance(10_000);
    expect(late.report().readiness.reason).toBe('check_failed:database');
    expect(await figures()).toMatchObject({ ready: 3, taken: 7 });
  });

  it('R10: a drain gives the permit back when it is over, and so does dispose()', async () => {
    const { clock, shared, healths, figures } = await startWhole(10);
    shared.up = false;
    await clock.advance(10_000);
    const out = healths.filter((health) => health.report().readiness.status === 'fail');
    const drained = out[0]?.shutdown();
    const disposed = out[1]?.dispose();
    await clock.advance(4000);
    await Promise.all([drained, disposed]);
    // Taken at once by two that were held.
    expect(await figures()).toMatchObject({ ready: 1, taken: 7 });
    await Promise.all(healths.map((health) => health.dispose()));
    expect(await figures()).toMatchObject({ taken: 0 });
  });

  it('E2, O1: what it is held for is in the report, the status and the metrics', async () => {
    const { clock, shared, healths } = await startWhole(1);
    shared.up = false;
    await clock.advance(10_000);
    const [health] = healths as [Health];
    expect(health.report().readiness).toMatchObject({
      status: 'warn',
      reason: 'held_by_floor:database',
      heldFor: ['check_failed:database'],
    });
    const readings = new Map(
      (await health.metrics()).map(({ metric, samples }) => [metric.name, samples]),
    );
    const one = (name: string, label: string) =>
      readings
        .get(name)
        ?.filter((sample) => 'value' in sample && sample.value > 0)
        .map(({ labels }) => labels[label]);
    expect(one('hale_exit_permit', 'state')).toEqual(['refused']);
    expect(one('hale_exit_permits_total', 'outcome')).toEqual(['refused']);
  });
});

/** A hundred keepers of permits, with the decision of the probes and nothing else, watched at every instant. */
function startKeepers(options: Partial<FleetOptions> = {}) {
  const clock = createManualClock();
  const fleet = createInstances({ count: COUNT, clock, ...options });
  const isReady = ({ instance }: (typeof fleet)[number]) => instance.decide().status !== 'fail';
  const out = new Set<number>();
  let most = 0;
  for (const [index, member] of fleet.entries())
    member.instance.watch(() => {
      if (isReady(member)) out.delete(index);
      else out.add(index);
      most = Math.max(most, out.size);
    });
  return {
    ...{ clock, fleet },
    lines: fleet.map(({ network }) => network),
    database: (up: boolean) => {
      for (const { instance } of fleet) instance.database(up);
    },
    ready: () => fleet.filter(isReady).length,
    fewest: () => COUNT - most,
  };
}

describe('a floor of instances and an unreliable registry', () => {
  it('R10: all of them ask in the same second, for a few calls each', async () => {
    const { clock, lines, database, ready, fewest } = startKeepers({ latencyMs: () => 5 });
    database(false);
    await clock.advance(1500);
    expect([ready(), fewest()]).toEqual([30, 30]);
    const calls = lines.map(({ calls: count }) => count);
    expect(Math.max(...calls)).toBeLessThanOrEqual(10);
    expect(calls.reduce((sum, count) => sum + count)).toBeLessThan(300);
  });

  it('R10: a registry that is slow and loses a fifth of the answers lets fewer leave, never more', async () => {
    const chance = seeded(3);
    const { clock, lines, database, ready, fewest } = startKeepers({
      latencyMs: () => chance() * 400,
    });
    database(false);
    for (let second = 0; second < 60; second += 1) {
      for (const line of lines)
        line.mode = chance() < 0.8 ? 'ok' : chance() < 0.5 ? 'fail' : 'swallow';
      await clock.advance(1000);
    }
    expect(fewest()).toBeGreaterThanOrEqual(FLOOR);
    // It is of use all the same.
    expect(ready()).toBeLessThan(60);
  });

  it('R10: an outage that outlasts the permits brings everybody back before another may leave', async () => {
    const { clock, lines, database, ready, fewest } = startKeepers();
    database(false);
    await clock.advance(30_000);
    for (const line of lines) line.mode = 'fail';
    await clock.advance(15_000);
    expect(ready()).toBe(30);
    await clock.advance(16_000);
    expect(ready()).toBe(100);
    for (const line of lines) line.mode = 'ok';
    await clock.advance(15_000);
    expect([ready(), fewest()]).toEqual([30, 30]);
  });

  it('R10: with the fallback "leave" an outage gives the floor up, and its end restores it', async () => {
    const { clock, lines, database, ready } = startKeepers({ fallback: 'leave' });
    for (const line of lines) line.mode = 'fail';
    database(false);
    await clock.advance(5000);
    expect(ready()).toBe(0);
    for (const line of lines) line.mode = 'ok';
    await clock.advance(10_000);
    expect(ready()).toBe(30);
  });

  it('R10: half of the fleet cut off: the other half gets its permits only once it is back in rotation', async () => {
    const { clock, lines, database, ready, fewest } = startKeepers();
    database(false);
    await clock.advance(20_000);
    for (const line of lines.slice(0, 50)) line.mode = 'hang';
    await clock.advance(120_000);
    expect([ready(), fewest()]).toEqual([50, 30]);
  });

  it('R10: load and a dependency share the permits', async () => {
    const { clock, fleet, ready, fewest } = startKeepers();
    for (const [index, { instance }] of fleet.entries())
      if (index % 2 === 0) instance.database(false);
      else instance.setGates({ atCapacity: true });
    await clock.advance(10_000);
    expect([ready(), fewest()]).toEqual([30, 30]);
    const reasons = fleet.map(({ instance }) => instance.decide().reason);
    expect(new Set(reasons)).toEqual(
      new Set([
        'check_failed:database',
        'at_capacity',
        'held_by_floor:database',
        'held_by_floor:at_capacity',
      ]),
    );
  });

  it('R10: a registry that has forgotten everything overshoots until the next renewals, no longer', async () => {
    const clock = createManualClock();
    const stores = { current: memoryLease() };
    const store = {
      ...memoryLease(),
      acquire: (...args) => stores.current.acquire(...args),
      renew: (...args) => stores.current.renew(...args),
      release: (...args) => stores.current.release(...args),
      list: (...args) => stores.current.list(...args),
    } satisfies ReturnType<typeof memoryLease>;
    const fleet = createInstances({ count: COUNT, clock, store });
    for (const { instance } of fleet) instance.database(false);
    await clock.advance(30_000);
    stores.current = memoryLease();
    await clock.advance(12_000);
    const ready = fleet.filter(({ instance }) => instance.decide().status !== 'fail').length;
    expect(ready).toBe(FLOOR);
  });
});
