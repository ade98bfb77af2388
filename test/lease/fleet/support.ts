import type { LeaseEvent, LeaseRecord, LeaseStore } from '../../../src/core/lease-store.js';
import { silentLogger } from '../../../src/core/logger.js';
import type { Fleet } from '../../../src/lease/fleet/fleet.js';
import { openFleet } from '../../../src/lease/fleet/fleet.js';
import type { FleetEvent } from '../../../src/lease/fleet/fleet-view.js';
import { type FleetOptions, resolveFleet } from '../../../src/lease/fleet/resolve-fleet.js';
import { memoryLease } from '../../../src/lease/stores/memory.js';
import type { ManualClock } from '../../../src/testing/manual-clock.js';
import { createSuspendableClock } from '../support.js';

export const TTL = 30_000;

/** A registry whose watch tells what the test says. */
export function createScriptedRegistry() {
  let listener: (event: LeaseEvent) => void = () => {};
  let revisions = 0;
  const control = {
    closed: 0,
    tell: (event: LeaseEvent) => listener(event),
    beat: (name: string, record: Partial<LeaseRecord> = {}) =>
      listener({
        kind: 'held',
        record: {
          ...{ name, holder: `${name}#1`, token: 1n, ttlMs: TTL, data: '' },
          revision: String((revisions += 1)),
          ...record,
        },
      }),
    free: (name: string, token = 1n) => listener({ kind: 'free', name, token }),
    sync: () => listener({ kind: 'synced' }),
    fail: () => listener({ kind: 'failed', error: new Error('connection refused') }),
  };
  const store: LeaseStore = {
    ...memoryLease(),
    watch(_query, given) {
      listener = given;
      return {
        async close() {
          control.closed += 1;
        },
      };
    },
  };
  return { store, control };
}

/** Opens a fleet on a clock that is moved by hand. */
export function openTestFleet(options: FleetOptions & { clock: ManualClock }): {
  fleet: Fleet;
  events: FleetEvent[];
} {
  const fleet = openFleet(resolveFleet(options, { clock: options.clock, logger: silentLogger }));
  const events: FleetEvent[] = [];
  fleet.watch((event) => events.push(event));
  return { fleet, events };
}

/** An event in a word: `joined a`, `registry_back`. */
export function brief(event: FleetEvent): string {
  return 'instance' in event ? `${event.kind} ${event.instance.name}` : event.kind;
}

/** A fleet over a scripted registry. */
export function setUpFleet(options: Partial<FleetOptions> = {}) {
  const clock = createSuspendableClock();
  const { store, control } = createScriptedRegistry();
  const { fleet, events } = openTestFleet({ store, ...options, clock });
  const beatFor = async (ms: number, names: readonly string[], everyMs = 10_000) => {
    for (let passed = 0; passed < ms; passed += everyMs) {
      for (const name of names) control.beat(name);
      await clock.advance(Math.min(everyMs, ms - passed));
    }
  };
  return {
    fleet,
    clock,
    registry: control,
    events,
    /** Lets these instances beat, for so long. */
    beatFor,
    /** Takes the events told so far. */
    take: () => events.splice(0).map(brief),
    states: () => Object.fromEntries(fleet.list().map(({ name, state }) => [name, state])),
  };
}

/** `a0`, `a1`, … */
export function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `a${index}`);
}
