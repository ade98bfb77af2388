import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expiresAfterMs, firstDelayMs, nextDelayMs } from '../../src/core/schedule.js';

const TIMES = { intervalMs: 5000, recheckMs: 1000 };

describe('schedule', () => {
  it('C3: waits one interval, 20 % less to 20 % more', () => {
    const delay = (random: number) =>
      nextDelayMs({ ...TIMES, settled: true, random: () => random });
    expect([0, 0.5, 1].map(delay).map(Math.round)).toEqual([4000, 5000, 6000]);
  });

  it('C3: re-checks quickly while the verdict is not settled, jittered too', () => {
    const delay = (random: number) =>
      nextDelayMs({ ...TIMES, settled: false, random: () => random });
    expect([0, 0.5, 1].map(delay).map(Math.round)).toEqual([800, 1000, 1200]);
  });

  it('C3: a re-check is never slower than the interval', () => {
    const input = { intervalMs: 300, recheckMs: 1000, settled: false, random: () => 0.5 };
    expect(nextDelayMs(input)).toBe(300);
  });

  it('C3: the first run falls anywhere from at once to the longest delay', () => {
    expect([0, 0.5, 0.999].map((random) => firstDelayMs(500, () => random))).toEqual([
      0, 250, 499.5,
    ]);
  });

  it('R3: a result expires after three intervals and timeouts', () => {
    expect(expiresAfterMs(5000, 1000)).toBe(18_000);
  });

  it('R3: a check on schedule always delivers twice before its result expires', () => {
    const times = fc.record({
      intervalMs: fc.integer({ min: 10, max: 1e6 }),
      timeoutMs: fc.integer({ min: 1, max: 1e6 }),
      random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      settled: fc.boolean(),
    });
    fc.assert(
      fc.property(times, ({ intervalMs, timeoutMs, random, settled }) => {
        const delay = nextDelayMs({ intervalMs, recheckMs: 1000, settled, random: () => random });
        expect(delay).toBeGreaterThan(0);
        expect(2 * (delay + timeoutMs)).toBeLessThan(expiresAfterMs(intervalMs, timeoutMs));
      }),
    );
  });
});
