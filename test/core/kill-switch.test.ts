import { describe, expect, it } from 'vitest';
import { leftUntil } from '../../src/core/kill-switch.js';

describe('time left until a deadline', () => {
  const deadline = { at: 30_000, bootAheadMs: 7000 };

  it.each([
    ['before', 10_000, 17_000, 20_000],
    ['at it', 30_000, 37_000, 0],
    ['after', 31_000, 38_000, -1000],
    ['suspended meanwhile', 10_000, 17_000 + 15_000, 5000],
    ['suspended past it', 10_000, 17_000 + 60_000, -40_000],
    ['clocks that are coarse', 10_000, 17_000 + 490, 20_000],
    ['whole seconds, coarser still', 10_000, 18_000, 20_000],
    ['whole seconds, suspended', 10_000, 22_000, 15_000],
    ['a time since boot that lags', 10_000, 16_000, 20_000],
  ])('H3: %s', (_, now, uptimeMs, left) => {
    expect(leftUntil(deadline, now, uptimeMs)).toBe(left);
  });
});
