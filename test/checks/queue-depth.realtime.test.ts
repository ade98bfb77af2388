import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bullmqQueueDepth } from '../../src/checks/queue-depth.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { harness } from '../support/run-check.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { startRedis } from '../support/servers/redis.js';

describe('bullmqQueueDepth on a real Redis', () => {
  let redis: ManagedServer;
  let queue: Queue;

  beforeAll(async () => {
    redis = await startRedis();
    queue = new Queue('mail', { connection: { host: '127.0.0.1', port: redis.port } });
    queue.on('error', () => {});
  });
  afterAll(async () => {
    await queue.close();
    await redis.dispose();
  });

  const run = (limits: object) =>
    harness(bullmqQueueDepth(queue, { warnDepth: 6, ...limits }), systemClock).run();

  it('counts waiting, prioritized and paused jobs, not delayed ones, and their age', async () => {
    expect(await run({})).toMatchObject({ status: 'pass', observedValue: { depth: 0 } });
    await queue.addBulk(Array.from({ length: 4 }, (_, n) => ({ name: 'mail', data: { n } })));
    await queue.add('urgent', {}, { priority: 1 });
    await queue.add('later', {}, { delay: 600_000 });
    expect(await run({})).toMatchObject({ status: 'pass', observedValue: { depth: 5 } });
    const [oldest] = await queue.getWaiting(0, 0);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const old = await run({ warnOldestMs: 20 });
    expect(old).toMatchObject({ status: 'warn', code: 'queue_old' });
    expect(oldest?.data).toEqual({ n: 0 });
    await queue.pause();
    expect(await run({})).toMatchObject({ observedValue: { depth: 5 } });
    await queue.addBulk(Array.from({ length: 2 }, () => ({ name: 'mail', data: {} })));
    expect(await run({})).toMatchObject({ status: 'warn', code: 'queue_long' });
  });
});
