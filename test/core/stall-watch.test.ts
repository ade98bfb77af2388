import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type StallWatch, look, startWatch } from '../../src/core/stall-watch.js';

const STEP = 200;
const TICK = 80;
const PACE = { tickMs: TICK, longestStepMs: STEP };

/** Gaps between looks, from a blink to a night. */
const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 1e8 })));

function lookAfter(gapsMs: readonly number[], beatAt: (index: number) => number): StallWatch {
  let now = 1000;
  return gapsMs.reduce<StallWatch>(
    (watch, gap, index) => look(watch, beatAt(index), (now += gap), PACE),
    startWatch(0, now),
  );
}

describe('stall watch', () => {
  it('L3: counts how long a beat stands still', () => {
    expect(lookAfter([100, 150, 200], () => 0)).toEqual({
      beat: 0,
      seenAt: 1450,
      stoodStillMs: 450,
    });
  });

  it('L3: a beat that moved starts over, from the time it was seen', () => {
    const watch = lookAfter([100, 100, 100], (index) => (index === 1 ? 7 : 0));
    expect(watch).toEqual({ beat: 0, seenAt: 1300, stoodStillMs: 0 });
    expect(look(watch, 0, 1350, PACE).stoodStillMs).toBe(50);
  });

  it('L9: twenty seconds of SIGSTOP count as one tick', () => {
    expect(lookAfter([100, 20_000, 100], () => 0).stoodStillMs).toBe(100 + TICK + 100);
  });

  it('L9: a clock that stands or steps back counts nothing', () => {
    expect(lookAfter([100, 0, -50], () => 0).stoodStillMs).toBe(100);
  });

  it('L9: time in which the watcher did not run never counts for more than one step a look', () => {
    fc.assert(
      fc.property(gaps, (list) => {
        const { stoodStillMs } = lookAfter(list, () => 0);
        expect(stoodStillMs).toBeLessThanOrEqual(list.length * STEP);
        expect(stoodStillMs).toBe(list.reduce((sum, gap) => sum + (gap > STEP ? TICK : gap), 0));
      }),
    );
  });

  it('L9: a beat that moves between looks never stalls, however irregular they are', () => {
    fc.assert(
      fc.property(gaps, (list) => {
        expect(lookAfter(list, (index) => index + 1).stoodStillMs).toBe(0);
      }),
    );
  });

  it('L3: a still beat under a watcher that looks regularly stalls in exactly its time', () => {
    const regular = fc.array(fc.integer({ min: 1, max: STEP }), { minLength: 1 });
    fc.assert(
      fc.property(regular, (list) => {
        const passed = list.reduce((sum, gap) => sum + gap, 0);
        expect(lookAfter(list, () => 0).stoodStillMs).toBe(passed);
      }),
    );
  });
});
