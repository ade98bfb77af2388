import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../src/testing/manual-clock.js';

describe('manual clock', () => {
  it('fires timers at their own time, in order, with promises settled in between', async () => {
    const clock = createManualClock({ now: 0 });
    const seen: string[] = [];
    clock.setTimeout(() => void seen.push(`late ${clock.now()}`), 20);
    clock.setTimeout(() => {
      seen.push(`first ${clock.now()}`);
      void Promise.resolve()
        .then(() => {})
        .then(() => clock.setTimeout(() => void seen.push(`nested ${clock.now()}`), 5));
    }, 10);
    await clock.advance(20);
    expect(seen).toEqual(['first 10', 'nested 15', 'late 20']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps wall and monotonic time in step, and counts what keeps the process alive', async () => {
    const clock = createManualClock({ now: 50, wallNow: 9000 });
    const held = clock.setTimeout(() => {}, 100, { keepsProcessAlive: true });
    clock.setTimeout(() => {}, 100);
    expect([clock.pendingTimers, clock.pendingHolds]).toEqual([2, 1]);
    held.clear();
    held.clear();
    await clock.advance(7);
    expect([clock.now(), clock.wallNow(), clock.pendingTimers, clock.pendingHolds]).toEqual([
      57, 9007, 1, 0,
    ]);
  });

  it('L9: a jump fires nothing; what is overdue fires at the next advance', async () => {
    const clock = createManualClock({ now: 0 });
    const seen: number[] = [];
    clock.setTimeout(() => void seen.push(clock.now()), 10);
    clock.jump(500);
    expect(seen).toEqual([]);
    await clock.advance(0);
    expect(seen).toEqual([500]);
  });

  it('rejects with what a timer threw, and refuses to go back', async () => {
    const clock = createManualClock({ now: 0 });
    clock.setTimeout(() => {
      throw new Error('in timer');
    }, 10);
    await expect(clock.advance(10)).rejects.toThrow('in timer');
    await expect(clock.advance(-1)).rejects.toThrow('ms must be a number from 0 or more, got -1');
  });
});
