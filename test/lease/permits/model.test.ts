import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permitsFor } from '../../../src/lease/permits/index.js';
import { memoryLease } from '../../../src/lease/stores/memory.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';
import { type Network, createInstances } from './support.js';

type Event =
  | { readonly kind: 'database'; readonly up: boolean; readonly member: number }
  | { readonly kind: 'database of all'; readonly up: boolean }
  | { readonly kind: 'network'; readonly mode: Network['mode']; readonly member: number }
  | { readonly kind: 'network of all'; readonly mode: Network['mode'] }
  | { readonly kind: 'crash'; readonly member: number }
  | { readonly kind: 'maintenance'; readonly on: boolean; readonly member: number }
  | { readonly kind: 'load'; readonly on: boolean; readonly member: number };

const member = fc.nat(99);
const up = fc.boolean();
const mode = fc.constantFrom<Network['mode']>('ok', 'ok', 'fail', 'hang', 'swallow');
const databaseOfAll = fc.record({ kind: fc.constant('database of all' as const), up });
const events: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('database' as const), up, member }),
  databaseOfAll,
  databaseOfAll,
  fc.record({ kind: fc.constant('network' as const), mode, member }),
  fc.record({ kind: fc.constant('network of all' as const), mode }),
  fc.record({ kind: fc.constant('crash' as const), member }),
  fc.record({ kind: fc.constant('maintenance' as const), on: up, member }),
  fc.record({ kind: fc.constant('load' as const), on: up, member }),
);
const steps = fc.array(fc.record({ event: events, afterMs: fc.integer({ min: 0, max: 20_000 }) }), {
  maxLength: 25,
});
const fleets = fc.record({
  count: fc.integer({ min: 1, max: 12 }),
  floor: fc.constantFrom(0, 0.1, 0.3, 0.5, 0.9, 1),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  longestLatencyMs: fc.constantFrom(0, 20, 200),
  ttlMs: fc.constantFrom(3000, 30_000),
  keepMs: fc.constantFrom(0, 10_000),
});

/** A dependency that flaps, and a registry as slow as permits are kept short. */
const flapping = {
  fleets: fc.record({
    count: fc.integer({ min: 2, max: 4 }),
    floor: fc.constantFrom(0.3, 0.5),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    longestLatencyMs: fc.constantFrom(300, 700, 1100),
    ttlMs: fc.constant(3000),
    keepMs: fc.constantFrom(300, 700, 1500),
  }),
  steps: fc.array(
    fc.record({
      event: fc.oneof(
        { arbitrary: fc.record({ kind: fc.constant('database' as const), up, member }), weight: 2 },
        { arbitrary: events, weight: 3 },
      ),
      afterMs: fc.integer({ min: 0, max: 1500 }),
    }),
    { minLength: 30, maxLength: 80 },
  ),
};

type FleetShape =
  typeof fleets extends fc.Arbitrary<infer T> ? { readonly [K in keyof T]: number } : never;

/** Instances whose only reasons to be out are shared are never more than there are permits, at any instant. */
function startWatched({ longestLatencyMs, ...shape }: FleetShape) {
  const clock = createManualClock();
  const registry = memoryLease();
  let tick = 0;
  const latencyMs = () => (((tick += 1) * 7919) % 1000) * (longestLatencyMs / 1000);
  const fleet = createInstances({ ...shape, clock, latencyMs, store: registry });
  const alive = new Set(fleet);
  const allowed = permitsFor(shape.count, shape.floor);
  let most = 0;
  /** Out because of nothing else. */
  const out = () =>
    [...alive].filter(({ instance }) => {
      const { status, reasons } = instance.decide();
      return status === 'fail' && !reasons.includes('maintenance');
    }).length;
  for (const { instance } of fleet) instance.watch(() => (most = Math.max(most, out())));
  const apply = (event: Event): void => {
    const one = 'member' in event ? fleet[event.member % fleet.length] : undefined;
    if (one !== undefined && !alive.has(one)) return;
    if (event.kind === 'database') one?.instance.database(event.up);
    if (event.kind === 'maintenance') one?.instance.setGates({ maintenance: event.on });
    if (event.kind === 'load') one?.instance.setGates({ atCapacity: event.on });
    if (event.kind === 'network' && one !== undefined) one.network.mode = event.mode;
    if (event.kind === 'crash' && one !== undefined) {
      // Nothing reaches the registry any more, and nobody sees it: its permit is left to expire.
      alive.delete(one);
      one.network.mode = 'fail';
    }
    for (const each of alive) {
      if (event.kind === 'database of all') each.instance.database(event.up);
      if (event.kind === 'network of all') each.network.mode = event.mode;
    }
  };
  const taken = async () => {
    const signal = new AbortController().signal;
    return (await registry.list({}, { clock, signal })).length;
  };
  return { clock, fleet, alive, allowed, apply, out, taken, most: () => most };
}

describe('exit permits in any order of events', () => {
  it.each([
    ['as they come', { fleets, steps }, 60],
    ['of a dependency that flaps', flapping, 250],
  ] as const)(
    'R10: never more are out for shared reasons than the floor leaves, at any instant: %s',
    async (_, given, numRuns) => {
      await fc.assert(
        fc.asyncProperty(given.fleets, given.steps, async (shape, list) => {
          const { clock, apply, allowed, most } = startWatched(shape);
          for (const { event, afterMs } of list) {
            apply(event);
            await clock.advance(afterMs);
          }
          expect(most()).toBeLessThanOrEqual(allowed);
        }),
        { numRuns },
      );
    },
    60_000,
  );

  it('R10: no permit is lost: once the registry answers, as many leave as may, and all come back after', async () => {
    await fc.assert(
      fc.asyncProperty(fleets, steps, async (shape, list) => {
        const { clock, alive, apply, allowed, out, taken, most } = startWatched(shape);
        for (const { event, afterMs } of list) {
          apply(event);
          await clock.advance(afterMs);
        }
        apply({ kind: 'network of all', mode: 'ok' });
        for (const { instance } of alive) instance.setGates({ maintenance: false });
        apply({ kind: 'database of all', up: false });
        await clock.advance(70_000);
        expect(out()).toBe(Math.min(allowed, alive.size));
        apply({ kind: 'database of all', up: true });
        for (const { instance } of alive) instance.setGates({ atCapacity: false });
        await clock.advance(70_000);
        expect([out(), await taken()]).toEqual([0, 0]);
        expect(most()).toBeLessThanOrEqual(allowed);
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});
