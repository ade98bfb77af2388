import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CapacityState,
  capacityChangeAt,
  changeCapacity,
  createCapacity,
  initialCapacityState,
  observeInFlight,
} from '../../src/core/capacity.js';

const LIMITS = { leaveAt: 10, reenterAt: 6, leaveAfterMs: 1000, reenterAfterMs: 5000 };

/** Plays counts at times; returns the times at which readiness changed. */
function play(seen: readonly (readonly [at: number, inFlight: number])[], until: number): number[] {
  const capacity = createCapacity(LIMITS);
  let state: CapacityState = initialCapacityState;
  const changes: number[] = [];
  const changeUntil = (now: number) => {
    for (let at = capacityChangeAt(state, capacity); at !== undefined && at <= now;) {
      state = changeCapacity(state, at);
      changes.push(at);
      at = capacityChangeAt(state, capacity);
    }
  };
  for (const [at, inFlight] of seen) {
    changeUntil(at);
    state = observeInFlight(state, inFlight, at, capacity);
  }
  changeUntil(until);
  return changes;
}

describe('capacity', () => {
  it('R8: pressure must last before readiness fails, and be over for a while before it passes', () => {
    expect(play([[100, 10]], 1099)).toEqual([]);
    expect(play([[100, 10]], 1100)).toEqual([1100]);
    expect(
      play(
        [
          [100, 10],
          [2000, 6],
        ],
        7000,
      ),
    ).toEqual([1100, 7000]);
  });

  it('R8: between the two limits nothing changes', () => {
    const around = [10, 9, 8, 7, 9, 7].map((count, index) => [100 + index * 100, count] as const);
    expect(play(around, 20_000)).toEqual([1100]);
    expect(play([...around, [1050, 6]], 20_000)).toEqual([]);
  });

  it('R8: a dip while places are taken again is no end of pressure, a longer one is', () => {
    const wave = (gap: number) =>
      Array.from({ length: 20 }, (_, index) => [
        [1000 + index * 400, 10],
        [1400 + index * 400 - gap, 2],
      ]).flat() as [number, number][];
    expect(play(wave(100), 8500)).toEqual([2000]);
    expect(play(wave(300), 8500)).toEqual([]);
  });

  it('R8: whatever the load does, readiness changes at most twice in any minute', () => {
    const steps = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 9000 }), fc.integer({ min: 0, max: 20 })),
      {
        minLength: 40,
        maxLength: 200,
      },
    );
    fc.assert(
      fc.property(steps, (given) => {
        let now = 0;
        const seen = given.map(([gap, count]) => [(now += gap), count] as const);
        const changes = play(seen, now + 120_000);
        for (const [index, at] of changes.entries())
          expect(at - (changes[index - 2] ?? -Infinity)).toBeGreaterThanOrEqual(60_000);
      }),
      { numRuns: 200 },
    );
  });

  it('R8: re-enters at 80 % unless told otherwise, and refuses limits that would oscillate', () => {
    expect(createCapacity({ leaveAt: 100 })).toMatchObject({ leaveAt: 100, reenterAt: 80 });
    expect(createCapacity({ leaveAt: 1 })).toMatchObject({ leaveAt: 1, reenterAt: 0 });
    expect(() => createCapacity({ leaveAt: 10, reenterAt: 10 })).toThrow(
      'capacity.reenterAt must be below capacity.leaveAt (10), got 10',
    );
    expect(() => createCapacity({ leaveAt: 0 })).toThrow(
      'capacity.leaveAt must be a whole number from 1',
    );
    expect(() => createCapacity({ leaveAt: 2, leaveAfterMs: -1 })).toThrow('capacity.leaveAfterMs');
    expect(() => createCapacity({ leaveAt: 2, reenterAfterMs: NaN })).toThrow(
      'capacity.reenterAfterMs',
    );
  });
});
