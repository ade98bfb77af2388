import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe } from 'vitest';
import { bullmqQueueDepth } from '../../src/checks/queue-depth.js';
import { itConforms } from '../support/conformance.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { startRedis } from '../support/servers/redis.js';

const PASSWORD = 'sesame-of-bull';
let server: ManagedServer;
beforeAll(async () => {
  server = await startRedis({ password: PASSWORD });
});
afterAll(() => server.dispose());

describe('bullmqQueueDepth against a real Redis', () => {
  itConforms({
    name: 'bullmqQueueDepth',
    server: () => server,
    timeoutMs: 200,
    secrets: [PASSWORD],
    createSubject: ({ host, port, password }) => {
      // A connection of its own: the queue's would wait for its end until it has once been ready.
      const connection = new Redis({ host, port, password: password(PASSWORD) });
      const queue = new Queue('mail', { connection });
      for (const each of [connection, queue]) each.on('error', () => {});
      return {
        check: bullmqQueueDepth(queue, { warnDepth: 5 }),
        close: () => connection.disconnect(),
      };
    },
  });
});
