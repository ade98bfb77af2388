import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RosterDriver } from './roster-driver.js';
import { TTL } from './support.js';

/** Times between two renewals, one list for each lease. */
interface Recorded {
  readonly how: string;
  readonly series: Readonly<Record<'plain' | 'busy', readonly (readonly number[])[]>>;
}

const recorded = JSON.parse(
  readFileSync(new URL('recorded-heartbeats.json', import.meta.url), 'utf8'),
) as Recorded;

const COUNT = 10_000;
const DEATHS = 500;
const MINUTES = 3;
const FOUND_WITHIN_MS = 30_000;

/** The same numbers in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Instance {
  readonly name: string;
  readonly intervals: readonly number[];
  next: number;
  beatAt: number;
  diedAt: number;
}

function simulate(series: readonly (readonly number[])[], polled: boolean) {
  const random = createRandom(1);
  const found = new Map<string, { suspect?: number; down?: number }>();
  const driver = new RosterDriver((event, now) => {
    if (event.kind !== 'suspect' && event.kind !== 'down') return;
    const { name } = event.instance;
    found.set(name, { ...found.get(name), [event.kind]: now });
  });
  const end = driver.now + MINUTES * 60_000;
  const instances: Instance[] = Array.from({ length: COUNT }, (_, index) => {
    const intervals = series[Math.floor(random() * series.length)] ?? [];
    return {
      name: `i${index}`,
      intervals,
      next: Math.floor(random() * intervals.length),
      beatAt: driver.now + random() * 10_000,
      // Some after a heartbeat or two, the others spread over the time.
      diedAt:
        index < DEATHS ? driver.now + 45_000 + random() * (end - driver.now - 90_000) : Infinity,
    };
  });
  driver.roster.synced(driver.now);
  for (let step = driver.now; step < end; step += 1000) {
    const told: { at: number; name: string; beatAt: number }[] = [];
    for (const instance of instances) {
      while (instance.beatAt < step + 1000 && instance.beatAt < instance.diedAt) {
        const { name, beatAt } = instance;
        told.push({ at: polled ? step + 1000 : beatAt, name, beatAt });
        instance.beatAt += instance.intervals[instance.next % instance.intervals.length] ?? 0;
        instance.next += 1;
      }
    }
    for (const { at, name, beatAt } of told.toSorted((a, b) => a.at - b.at)) {
      driver.advanceTo(at);
      driver.beat(name, TTL - (driver.now - beatAt));
    }
    driver.advanceTo(step + 1000);
  }
  return { instances, found };
}

describe('10,000 simulated instances that renew as was recorded', () => {
  it('H7: has a record that is long enough, and not of a quiet machine', () => {
    expect(recorded.how).toMatch(/keeper/);
    for (const lists of Object.values(recorded.series)) {
      const all = lists.flat();
      expect(all.length).toBeGreaterThan(2000);
      expect(Math.max(...all) - Math.min(...all)).toBeGreaterThan(1000);
    }
  });

  it.each([
    ['plain', false],
    ['busy', true],
  ] as const)(
    'H7: finds every death within 30 s, and no false one (%s, looked at every second: %s)',
    (kind, polled) => {
      const { instances, found } = simulate(recorded.series[kind], polled);
      const wrong: unknown[] = [];
      for (const { name, diedAt } of instances) {
        const { suspect, down } = found.get(name) ?? {};
        const isRight =
          diedAt === Infinity
            ? down === undefined
            : down !== undefined && down >= diedAt && down - diedAt <= FOUND_WITHIN_MS;
        if (!isRight) wrong.push({ name, diedAt, suspect, down });
      }
      expect(wrong).toEqual([]);
      const deaths = instances.filter(({ diedAt }) => diedAt < Infinity).length;
      expect(found.size - deaths).toBeLessThan(COUNT / 100);
      expect(deaths).toBe(DEATHS);
    },
    60_000,
  );
});
