import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLimiter } from '../../src/engine/limiter.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

describe('limiter', () => {
  it('C3: never more than the limit at once, in order of arrival, whatever fails', async () => {
    const task = fc.record({ ms: fc.integer({ min: 1, max: 50 }), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(task, { maxLength: 30 }),
        fc.integer({ min: 1, max: 8 }),
        async (tasks, limit) => {
          const clock = createManualClock();
          const limiter = createLimiter(limit, clock);
          const order: number[] = [];
          let running = 0;
          const all = Promise.allSettled(
            tasks.map(({ ms, fails }, index) =>
              limiter.run(async () => {
                order.push(index);
                running += 1;
                expect(running).toBeLessThanOrEqual(limit);
                await new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
                running -= 1;
                if (fails) throw new Error('task');
              }),
            ),
          );
          await clock.advance(2000);
          const results = await all;
          expect(results.map(({ status }) => status === 'rejected')).toEqual(
            tasks.map(({ fails }) => fails),
          );
          expect(order).toEqual(tasks.map((_, index) => index));
          expect(limiter).toMatchObject({ running: 0, waiting: 0 });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('C3: a task that throws synchronously gives its slot back', async () => {
    const limiter = createLimiter(1, createManualClock());
    await expect(
      limiter.run(() => {
        throw new Error('sync');
      }),
    ).rejects.toThrow('sync');
    await expect(limiter.run(async () => 'next')).resolves.toBe('next');
  });

  it('C3: lets the loop turn between each hundred tasks that end without waiting', async () => {
    const clock = createManualClock();
    const kept: unknown[] = [];
    const limiter = createLimiter(8, {
      setTimeout(callback, delayMs, options) {
        kept.push(options?.keepsProcessAlive);
        return clock.setTimeout(callback, delayMs, options);
      },
    });
    let ran = 0;
    const all = Promise.all(
      Array.from({ length: 1000 }, () => limiter.run(async () => (ran += 1))),
    );
    await clock.settle();
    // The eight that found room, and a hundred of those that waited.
    expect(ran).toBe(108);
    expect(kept).toStrictEqual([true]);
    expect(limiter.running).toBe(0);
    await clock.advance(1);
    expect(ran).toBe(208);
    await clock.advance(100);
    await all;
    expect(ran).toBe(1000);
    expect(limiter).toMatchObject({ running: 0, waiting: 0 });
  });
});
