import { describe, expect, it } from 'vitest';
import {
  type BullQueueLike,
  type QueueDepth,
  type QueueDepthOptions,
  bullmqQueueDepth,
  queueDepth,
} from '../../src/checks/queue-depth.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

const clock = createManualClock();
const LIMITS = { warnDepth: 10, failDepth: 100, warnOldestMs: 1_000, failOldestMs: 60_000 };
const run = (read: QueueDepth | number, options: QueueDepthOptions = LIMITS) =>
  harness(
    queueDepth(() => read, options),
    clock,
  ).run();

describe('queueDepth', () => {
  it.each([
    [{ depth: 10, oldestAgeMs: 1_000 }, 'pass', undefined],
    [11, 'warn', 'queue_long'],
    [101, 'fail', 'queue_long'],
    [{ depth: 1, oldestAgeMs: 1_001 }, 'warn', 'queue_old'],
    [{ depth: 11, oldestAgeMs: 60_001 }, 'fail', 'queue_old'],
    [{ depth: 101, oldestAgeMs: 1_001 }, 'fail', 'queue_long'],
    [{ depth: 0, oldestAgeMs: undefined }, 'pass', undefined],
  ])('%j is %s', async (read, status, code) => {
    const outcome = await run(read);
    expect(outcome.status).toBe(status);
    expect(outcome.code).toBe(code);
  });

  it('says what it saw', async () => {
    expect(await run({ depth: 12, oldestAgeMs: 30 })).toMatchObject({
      output: '12 wait, the oldest for 30 ms',
      observedValue: { depth: 12, oldestAgeMs: 30 },
    });
  });

  it('a limit that is not given is never exceeded', async () => {
    expect((await run({ depth: 1e9, oldestAgeMs: 5 }, { failOldestMs: 10 })).status).toBe('pass');
  });

  it.each([Number.NaN, null, undefined, '12', {}, { depth: 1, oldestAgeMs: Number.NaN }])(
    '%o is no depth, and no pass',
    async (read) => {
      expect(await run(read as number)).toMatchObject({ status: 'fail', code: 'error' });
    },
  );

  it('holds its deadline and redacts what was thrown', async () => {
    const never = harness(
      queueDepth(() => new Promise<number>(() => {}), LIMITS),
      clock,
    ).run();
    await clock.advance(1_000);
    expect(await never).toMatchObject({
      durationMs: 1_000,
      output: 'the queue did not say its depth: timed out',
    });
    const read = () => Promise.reject(new Error('no amqp://u:hunter2@host'));
    const thrown = await harness(queueDepth(read, LIMITS), clock).run();
    expect(thrown.status).toBe('fail');
    expect(thrown.output).not.toContain('hunter2');
  });

  it.each([
    [{}, /queueDepth.warnDepth must be given, or failDepth, warnOldestMs or failOldestMs/],
    [{ warnDepth: -1 }, /queueDepth.warnDepth must be a number from 0/],
    [{ warnDepth: 5, failDepth: 4 }, /queueDepth.failDepth must be a number from 5/],
    [{ warnOldestMs: 5, failOldestMs: 4 }, /queueDepth.failOldestMs must be a number from 5/],
  ])('names the bad option in %j', (options, message) => {
    expect(() => queueDepth(() => 1, options)).toThrow(message);
  });
});

describe('bullmqQueueDepth', () => {
  it('C3: has one question at most under way while its Redis does not answer, and asks again after that', async () => {
    let asked = 0;
    let answer: (counts: Record<string, number>) => void = () => {};
    const queue: BullQueueLike = {
      getJobCounts: () => {
        asked += 1;
        return new Promise((resolve) => (answer = resolve));
      },
      getWaiting: async () => [],
    };
    const check = harness(bullmqQueueDepth(queue, { warnDepth: 5 }), clock);
    for (let run = 0; run < 5; run += 1) {
      const outcome = check.run();
      await clock.advance(1_000);
      expect((await outcome).status).toBe('fail');
    }
    expect(asked).toBe(1);
    answer({ waiting: 0 });
    const outcome = check.run();
    await clock.advance(1);
    answer({ waiting: 6 });
    expect(await outcome).toMatchObject({ status: 'warn', code: 'queue_long' });
    expect(asked).toBe(2);
  });

  const fake = (counts: Record<string, number>, timestamps: readonly number[] = []) => {
    const asked: string[] = [];
    const queue: BullQueueLike = {
      getJobCounts: async (...types) => {
        asked.push(types.join());
        return counts;
      },
      getWaiting: async (start, end) => {
        asked.push(`${start}-${end}`);
        return timestamps.map((timestamp) => ({ timestamp, opts: { delay: 50 } }));
      },
    };
    return { queue, asked };
  };

  it('adds up what waits, and asks for no job without a limit for its age', async () => {
    const { queue, asked } = fake({ waiting: 3, prioritized: 4, paused: 5 });
    const outcome = await harness(bullmqQueueDepth(queue, { warnDepth: 11 }), clock).run();
    expect(outcome).toMatchObject({ status: 'warn', observedValue: { depth: 12 } });
    expect(asked).toEqual(['waiting,prioritized']);
  });

  it('counts the age from when the job could first be taken, and never below zero', async () => {
    const age = async (timestamp: number) => {
      const { queue } = fake({ waiting: 1 }, [timestamp]);
      return harness(bullmqQueueDepth(queue, { warnOldestMs: 100 }), clock).run();
    };
    const now = clock.wallNow();
    expect(await age(now - 150)).toMatchObject({
      status: 'pass',
      observedValue: { oldestAgeMs: 100 },
    });
    expect((await age(now - 151)).code).toBe('queue_old');
    expect(await age(now + 5_000)).toMatchObject({ observedValue: { oldestAgeMs: 0 } });
  });

  it('refuses what is no queue', () => {
    expect(() => bullmqQueueDepth({} as BullQueueLike, { warnDepth: 1 })).toThrow(
      /must be a Queue/,
    );
  });
});
