import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/engine/system-clock.js';

afterEach(() => {
  vi.useRealTimers();
});

describe('system clock', () => {
  it('is not the one that fake timers of the application replace', () => {
    const monotonic = systemClock.now();
    const wall = systemClock.wallNow();
    vi.useFakeTimers({ now: 0, toFake: ['Date', 'hrtime', 'performance', 'setTimeout'] });
    expect(process.hrtime.bigint()).toBeLessThan(1000n);
    expect(systemClock.now()).toBeGreaterThanOrEqual(monotonic);
    expect(systemClock.wallNow()).toBeGreaterThanOrEqual(wall);
    systemClock.setTimeout(() => {}, 1000).clear();
    expect(vi.getTimerCount()).toBe(0);
  });
});
