import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/engine/system-clock.js';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
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

  it('L3: a cleared timer counts again first, because Node.js wakes up in vain for one that does not', async () => {
    const calls: unknown[] = [];
    const timeout = { ref: () => calls.push('ref'), unref: () => calls.push('unref') };
    vi.stubGlobal('setTimeout', (_: unknown, delayMs: number) => {
      calls.push(delayMs);
      return timeout;
    });
    vi.stubGlobal('clearTimeout', () => calls.push('clear'));
    vi.resetModules();
    const { systemClock: clock } = await import('../../src/engine/system-clock.js');
    clock.setTimeout(() => {}, 10.2).clear();
    expect(calls).toEqual([11, 'unref', 'ref', 'clear']);
  });
});
