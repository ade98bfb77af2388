import { Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Program, bundleProgram, eventually, startProgram } from '../support/program.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { startRedis } from '../support/servers/redis.js';

const JOBS = 1000;

describe('a BullMQ worker on a real Redis', () => {
  let redis: ManagedServer;
  let bundle: { file: string; remove: () => void };
  const programs: Program[] = [];
  const queues: Queue[] = [];

  beforeAll(async () => {
    [redis, bundle] = await Promise.all([startRedis(), bundleProgram('bullmq-worker')]);
  });
  afterEach(async () => {
    await Promise.all(programs.splice(0).map((program) => program.stop()));
    for (const queue of queues.splice(0)) {
      await queue.obliterate({ force: true });
      await queue.close();
    }
  });
  afterAll(async () => {
    await redis.dispose();
    bundle.remove();
  });

  function start(settings: object = {}): Program {
    const defaults = { port: redis.port, jobMs: 10, concurrency: 5, deadlineMs: 10_000 };
    const program = startProgram(bundle.file, {
      args: [JSON.stringify({ ...defaults, ...settings })],
    });
    programs.push(program);
    return program;
  }

  async function fill(count: number): Promise<Queue> {
    const queue = new Queue('orders', { connection: { host: '127.0.0.1', port: redis.port } });
    queue.on('error', () => {});
    queues.push(queue);
    const names = Array.from({ length: count }, (_, n) => ({ name: 'order', data: { n } }));
    await queue.addBulk(names);
    return queue;
  }

  const numbers = (program: Program, event: string): number[] =>
    program.messages.filter((item) => item['event'] === event).map(({ n }) => Number(n));
  const untilDone = (program: Program, count: number): Promise<unknown> =>
    eventually(
      `${count} jobs done`,
      () => (numbers(program, 'done').length >= count ? true : undefined),
      60_000,
      () => program.stderr(),
    );
  const untilEmpty = (queue: Queue): Promise<void> =>
    expect
      .poll(() => queue.getJobCounts('wait', 'active', 'delayed', 'failed'), { timeout: 60_000 })
      .toEqual({ wait: 0, active: 0, delayed: 0, failed: 0 });

  it('D4, T8: SIGTERM in the middle of 1,000 jobs: each is done exactly once, and none starts after the signal', async () => {
    const queue = await fill(JOBS);
    const first = start();
    await untilDone(first, 300);
    first.child.kill('SIGTERM');
    expect(await first.exit()).toBe(0);
    const signalAt = Number((await first.message('sigterm'))['at']);
    const startedAfter = first.messages.filter(
      ({ event, at }) => event === 'job' && Number(at) > signalAt,
    );
    expect(startedAfter).toEqual([]);
    expect(numbers(first, 'done').length).toBeLessThan(JOBS);
    const second = start();
    await untilEmpty(queue);
    const all = [...numbers(first, 'done'), ...numbers(second, 'done')].toSorted((a, b) => a - b);
    expect(all).toEqual(Array.from({ length: JOBS }, (_, n) => n));
    expect(await queue.getCompletedCount()).toBe(JOBS);
  });

  it('D4: jobs that outlast the deadline are given back and named; another worker does them at once', async () => {
    const queue = await fill(4);
    const first = start({ jobMs: 60_000, concurrency: 2, deadlineMs: 3000 });
    await expect.poll(() => numbers(first, 'job').length, { timeout: 20_000 }).toBe(2);
    first.child.kill('SIGTERM');
    expect(await first.exit()).toBe(0);
    const line = await first.log('worker_jobs_given_back');
    expect(line['jobs']).toHaveLength(2);
    expect(await queue.getJobCounts('wait', 'active')).toEqual({ wait: 4, active: 0 });
    const second = start();
    await untilEmpty(queue);
    expect(numbers(second, 'done').toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
  });

  it('D4: SIGKILL in the middle of 1,000 jobs: none is lost, a second worker does what was in progress', async () => {
    const queue = await fill(JOBS);
    const first = start();
    await untilDone(first, 300);
    first.child.kill('SIGKILL');
    await first.exit();
    const second = start();
    await untilEmpty(queue);
    const done = new Set([...numbers(first, 'done'), ...numbers(second, 'done')]);
    expect(done.size).toBe(JOBS);
    expect(await queue.getCompletedCount()).toBe(JOBS);
    const again = numbers(second, 'job').filter((n) => numbers(first, 'job').includes(n));
    // At most what was in progress when it was killed, and what it had done without being able to say so.
    expect(again.length).toBeLessThanOrEqual(10);
  });

  it('case 32: Redis away for 3 s: the worker comes back by itself', async () => {
    await fill(50);
    const worker = start({ jobMs: 5 });
    await untilDone(worker, 50);
    await redis.stop();
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await redis.restart();
    const queue = await fill(50);
    await untilDone(worker, 100);
    await untilEmpty(queue);
    expect(worker.child.exitCode).toBeNull();
    worker.child.kill('SIGTERM');
    expect(await worker.exit()).toBe(0);
  });
});
