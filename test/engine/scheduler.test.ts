import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/core/defaults.js';
import { type Job, createScheduler } from '../../src/engine/scheduler.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

function setUp(beatMs = 0) {
  const clock = createManualClock();
  const turns: number[] = [];
  const errors: [unknown, string | undefined][] = [];
  const scheduler = createScheduler({
    clock,
    beatMs,
    onTurn: (now) => turns.push(now),
    onError: (error, job) => errors.push([error, job]),
  });
  return { clock, scheduler, turns, errors };
}

const takes = (clock: ReturnType<typeof createManualClock>, ms: number) =>
  new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));

describe('scheduler', () => {
  it('C3: counts the delay from the end of a run', async () => {
    const { clock, scheduler } = setUp();
    const starts: number[] = [];
    const job: Job = {
      name: 'db',
      nextDelayMs: () => 5000,
      run: () => {
        starts.push(clock.now());
        return takes(clock, 800);
      },
    };
    scheduler.add(job, 300);
    scheduler.start();
    await clock.advance(13_000);
    expect(starts).toEqual([1300, 7100, 12_900]);
    scheduler.dispose();
  });

  it('C3: no job ever overlaps itself, whatever its runs take', async () => {
    const shape = fc.record({
      firstMs: fc.integer({ min: 0, max: 500 }),
      runMs: fc.array(fc.integer({ min: 0, max: 4000 }), { minLength: 1, maxLength: 8 }),
      delayMs: fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(shape, { minLength: 1, maxLength: 6 }), async (shapes) => {
        const { clock, scheduler, errors, turns } = setUp();
        const runs = shapes.map(({ firstMs, runMs, delayMs }, index) => {
          const seen = { running: 0, count: 0, endedAt: clock.now() + firstMs };
          let wait = 0;
          const run = async () => {
            seen.running += 1;
            expect(seen.running).toBe(1);
            expect(clock.now()).toBe(seen.endedAt + wait);
            await takes(clock, runMs[seen.count % runMs.length] ?? 1);
            seen.count += 1;
            seen.running -= 1;
            seen.endedAt = clock.now();
          };
          // A timer is never shorter than 1 ms.
          const nextDelayMs = () => (wait = Math.max(1, delayMs[seen.count % delayMs.length] ?? 1));
          scheduler.add({ name: `job ${index}`, run, nextDelayMs }, firstMs);
          return seen;
        });
        scheduler.start();
        await clock.advance(20_000);
        expect(errors).toEqual([]);
        expect(Math.min(...runs.map(({ count }) => count))).toBeGreaterThan(0);
        expect(gaps(turns)).toBeLessThanOrEqual(DEFAULTS.evaluateMs);
        scheduler.dispose();
      }),
      { numRuns: 25 },
    );
  });

  it('C4: a job whose loop throws stops alone, is reported once, and the others go on', async () => {
    const { clock, scheduler, errors, turns } = setUp();
    let sound = 0;
    const run = async () => void (sound += 1);
    scheduler.add({ name: 'sound', run, nextDelayMs: () => 1000 }, 0);
    scheduler.add({ name: 'broken', run: async () => {}, nextDelayMs: () => Number.NaN }, 0);
    scheduler.start();
    await clock.advance(10_000);
    expect(errors).toMatchObject([[{ name: 'RangeError' }, 'broken']]);
    expect(sound).toBeGreaterThanOrEqual(10);
    expect(turns.at(-1)).toBeGreaterThanOrEqual(clock.now() - DEFAULTS.evaluateMs);
    scheduler.dispose();
  });

  it('R3: a loop that cannot go on stops turning instead of pretending', async () => {
    const { clock, scheduler, errors, turns } = setUp();
    const run = async () => {};
    scheduler.add({ name: 'db', run, nextDelayMs: () => 60_000 }, 0);
    scheduler.start();
    await clock.advance(3000);
    const { setTimeout } = clock;
    clock.setTimeout = () => {
      throw new Error('no timer');
    };
    await clock.advance(1000);
    clock.setTimeout = setTimeout;
    const last = turns.at(-1);
    await clock.advance(30_000);
    expect(turns.at(-1)).toBe(last);
    expect(errors).toMatchObject([[{ message: 'no timer' }, undefined]]);
  });

  it('C3: jobs share the beats of the loop, none of them a tenth of its pause too soon or too late', async () => {
    const { clock, scheduler, turns } = setUp(500);
    const beats: number[] = [];
    const beat = (): void => {
      // As the engine's: the next is set before the work, and each comes a little late.
      clock.setTimeout(beat, 501);
      beats.push(clock.now());
      scheduler.beat();
    };
    beat();
    const runs = [0, 1, 2, 3].map((index) => {
      const starts: number[] = [];
      const run = async () => void starts.push(clock.now());
      scheduler.add({ name: `job ${index}`, run, nextDelayMs: () => 5000 + 130 * index }, 90);
      return starts;
    });
    scheduler.start();
    await clock.advance(60_000);
    for (const [index, starts] of runs.entries()) {
      expect(starts.length).toBeGreaterThan(9);
      expect(starts.slice(1).filter((at) => !beats.includes(at))).toEqual([]);
      for (const gap of gapsOf(starts))
        expect(Math.abs(gap - 5000 - 130 * index)).toBeLessThan(500);
    }
    expect(turns.filter((at) => !beats.includes(at))).toEqual([1090]);
    expect(gaps(turns)).toBeLessThanOrEqual(1002);
    scheduler.dispose();
  });

  it('C3: a job with a short pause keeps to it, beat or not', async () => {
    const { clock, scheduler } = setUp(500);
    const starts: number[] = [];
    const run = async () => void starts.push(clock.now());
    scheduler.add({ name: 'db', run, nextDelayMs: () => 200 }, 0);
    scheduler.start();
    await clock.advance(1000);
    expect(gapsOf(starts)).toEqual([220, 220, 220, 220]);
    scheduler.dispose();
  });

  it('C3: a job is added and removed at run time, and disposal leaves no timer', async () => {
    const { clock, scheduler } = setUp();
    scheduler.start();
    await clock.advance(2500);
    let runs = 0;
    const remove = scheduler.add(
      { name: 'db', run: async () => void (runs += 1), nextDelayMs: () => 100 },
      50,
    );
    await clock.advance(200);
    expect(runs).toBe(2);
    remove();
    await clock.advance(5000);
    expect(runs).toBe(2);
    scheduler.dispose();
    expect(clock.pendingTimers).toBe(0);
  });
});

function gaps(times: readonly number[]): number {
  return Math.max(...gapsOf(times));
}

function gapsOf(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? time));
}
