import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FleetEvent } from '../../../src/lease/fleet/fleet-view.js';
import type { PreserveRules } from '../../../src/lease/fleet/preservation.js';
import { ListenerModel, NO_PRESERVATION, RosterDriver } from './roster-driver.js';
import { TTL, names } from './support.js';

type Step =
  | { readonly kind: 'beat' | 'free'; readonly name: string }
  | { readonly kind: 'pass' | 'pause'; readonly ms: number }
  | { readonly kind: 'sync' | 'fail' };

const name = fc.constantFrom(...names(4));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('beat' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('free' as const), name }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(20_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('pause' as const), ms: fc.nat(90_000) }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'sync' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'fail' as const }) },
);
const steps = fc.array(step, { maxLength: 60 });

/** Runs the steps, and checks what must hold at every moment. */
function run(given: readonly Step[], preserve?: PreserveRules) {
  const model = new ListenerModel();
  const beats = new Map<string, number>();
  const looked = { syncedAt: Infinity };
  const onEvent = (event: FleetEvent, now: number): void => {
    model.hear(event);
    if (event.kind !== 'down') return;
    const silentMs = now - (beats.get(event.instance.name) ?? Infinity);
    expect(silentMs).toBeGreaterThanOrEqual(TTL / 2);
    expect(now - looked.syncedAt).toBeGreaterThanOrEqual(TTL);
  };
  const driver = new RosterDriver(onEvent, preserve);
  const apply = (each: Step): void => {
    if (each.kind === 'pass') driver.advanceTo(driver.now + each.ms);
    else if (each.kind === 'pause') driver.jump(each.ms);
    else if (each.kind === 'free') driver.roster.free({ name: each.name, token: 1n }, driver.now);
    else if (each.kind === 'beat') {
      beats.set(each.name, driver.now);
      driver.beat(each.name);
    } else if (each.kind === 'sync') {
      looked.syncedAt = driver.now;
      driver.roster.synced(driver.now);
    } else {
      looked.syncedAt = Infinity;
      driver.roster.failed(new Error('away'), driver.now);
    }
    const list = driver.roster
      .list(driver.now)
      .map(({ name: of, state, held }) => ({ name: of, held, state }));
    expect(list).toEqual(model.list);
  };
  for (const each of given) apply(each);
  return { driver, apply, model };
}

describe('any interleaving of heartbeats, releases, pauses and outages', () => {
  it('H7: tells nobody down before half a ttl of silence, or a ttl of registry, and tells what the list says', () => {
    expect(() => fc.assert(fc.property(steps, (given) => void run(given)))).not.toThrow();
  });

  it('H7: finds everybody who is silent once the registry is there, and recovers who beats again', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const { apply, model } = run(given, NO_PRESERVATION);
        apply({ kind: 'sync' });
        // An observer at its worst counts a third of the time, and heals within it.
        apply({ kind: 'pass', ms: 4 * TTL });
        for (const { state } of model.states.values()) expect(state).toBe('down');
        for (const each of names(4)) apply({ kind: 'beat', name: each });
        for (const each of names(4)) expect(model.states.get(each)?.state).toBe('up');
      }),
    );
  });

  it('H1: finds who falls silent within three heartbeats, whatever its rhythm was', () => {
    const rhythm = fc.array(fc.integer({ min: 500, max: 24_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(rhythm, (intervals) => {
        const downs: number[] = [];
        const driver = new RosterDriver((event, now) => {
          if (event.kind === 'down') downs.push(now);
        });
        driver.roster.synced(driver.now);
        driver.advanceTo(2 * TTL);
        driver.beat('a');
        for (const ms of intervals) {
          driver.advanceTo(driver.now + ms);
          driver.beat('a');
        }
        expect(downs).toEqual([]);
        const last = driver.now;
        driver.advanceTo(last + TTL);
        expect(downs).toHaveLength(1);
        expect(downs[0]).toBeGreaterThanOrEqual(last + TTL / 2);
        expect(downs[0]).toBeLessThanOrEqual(last + TTL);
      }),
    );
  });

  it('H7: holds back at most until the loss is taken for real', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const { apply, model } = run(given);
        apply({ kind: 'sync' });
        apply({ kind: 'pass', ms: 4 * TTL + 300_000 });
        for (const { state, held } of model.states.values())
          expect({ state, held }).toEqual({ state: 'down', held: false });
      }),
    );
  });
});
