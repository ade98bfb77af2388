import { describe, expect, it } from 'vitest';
import { spreadDelays } from '../../src/core/spread.js';

describe('spreading clients that leave', () => {
  it('D3: many use most of the window, few are not kept waiting', () => {
    const almostOne = () => 0.999;
    expect(spreadDelays(1, 10_000, almostOne)).toEqual([99]);
    expect(Math.max(...spreadDelays(10, 10_000, almostOne))).toBe(999);
    expect(Math.max(...spreadDelays(5000, 10_000, almostOne))).toBe(7992);
    expect(spreadDelays(3, -5, almostOne)).toEqual([0, 0, 0]);
    expect(spreadDelays(0, 10_000, almostOne)).toEqual([]);
  });

  it('D3: they leave at different times', () => {
    let seed = 1;
    const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    const delays = spreadDelays(1000, 60_000, random);
    const perSecond = new Map<number, number>();
    for (const delay of delays) {
      const second = Math.floor(delay / 1000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    expect(perSecond.size).toBe(48);
    expect(Math.max(...perSecond.values())).toBeLessThan(50);
  });
});
