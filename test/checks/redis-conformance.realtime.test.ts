import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { createClient } from 'redis';
import { createClient as createClient4 } from 'redis4';
import { createClient as createClient6 } from 'redis6';
import { afterAll, beforeAll, describe } from 'vitest';
import { type RedisLike, redisPing } from '../../src/checks/redis.js';
import type { ConformanceTarget } from '../../src/testing/index.js';
import { itConforms } from '../support/conformance.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { startRedis } from '../support/servers/redis.js';

const PASSWORD = 'sesame-of-redis';
let server: ManagedServer;
beforeAll(async () => {
  server = await startRedis({ password: PASSWORD });
});
afterAll(() => server.dispose());

interface Connected {
  client: RedisLike;
  close(): unknown;
}

function ioredis5({ host, port, password }: ConformanceTarget): Connected {
  const client = new Redis({ host, port, password: password(PASSWORD) });
  client.on('error', () => {});
  return { client, close: () => client.disconnect() };
}

function ioredis6({ host, port, password }: ConformanceTarget): Connected {
  const client = new Redis6({ host, port, password: password(PASSWORD) });
  client.on('error', () => {});
  return { client, close: () => client.disconnect() };
}

function nodeRedis5({ host, port, password }: ConformanceTarget): Connected {
  const client = createClient({ socket: { host, port }, password: password(PASSWORD) });
  client.on('error', () => {});
  client.connect().catch(() => {});
  return { client, close: () => client.destroy() };
}

function nodeRedis4({ host, port, password }: ConformanceTarget): Connected {
  const client = createClient4({ socket: { host, port }, password: password(PASSWORD) });
  client.on('error', () => {});
  client.connect().catch(() => {});
  return { client, close: () => client.disconnect() };
}

function nodeRedis6({ host, port, password }: ConformanceTarget): Connected {
  const client = createClient6({ socket: { host, port }, password: password(PASSWORD) });
  client.on('error', () => {});
  client.connect().catch(() => {});
  return { client, close: () => client.destroy() };
}

describe.each([
  ['ioredis 5', ioredis5],
  ['ioredis 6', ioredis6],
  ['redis 4', nodeRedis4],
  ['redis 5', nodeRedis5],
  ['redis 6', nodeRedis6],
])('redisPing with %s against a real Redis', (name, connect) => {
  itConforms({
    name,
    server: () => server,
    secrets: [PASSWORD],
    timeoutMs: 200,
    createSubject: (target) => {
      const { client, close } = connect(target);
      return { check: redisPing(client), close };
    },
  });
});
