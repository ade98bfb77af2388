import { Redis } from 'ioredis';
import { createSentinel } from 'redis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RedisLike, redisPing } from '../../src/checks/redis.js';
import { systemClock } from '../../src/engine/system-clock.js';
import type { ConformanceTarget } from '../../src/testing/index.js';
import { itConforms } from '../support/conformance.js';
import { harness } from '../support/run-check.js';
import {
  SENTINEL_GROUP,
  type SentinelGroup,
  startRedisSentinel,
} from '../support/servers/redis-sentinel.js';

let group: SentinelGroup;
beforeAll(async () => {
  group = await startRedisSentinel({ replicas: 1 });
});
afterAll(() => group.dispose());

type Place = Pick<ConformanceTarget, 'host' | 'port' | 'at'>;
interface Connected {
  client: RedisLike;
  close(): unknown;
}

/** The sentinel tells addresses of its own; the client has to go through the proxies before them. */
function addressMap({ at }: Place) {
  const pairs = group.addresses.map((told) => [`${told.host}:${told.port}`, at(told)]);
  return Object.fromEntries(pairs) as Record<string, { host: string; port: number }>;
}

function ioredis(target: Place): Connected {
  const sentinels = [{ host: target.host, port: target.port }];
  const client = new Redis({ sentinels, name: SENTINEL_GROUP, natMap: addressMap(target) });
  client.on('error', () => {});
  return { client, close: () => client.disconnect() };
}

function nodeRedis(target: Place): Connected {
  const client = createSentinel({
    name: SENTINEL_GROUP,
    sentinelRootNodes: [{ host: target.host, port: target.port }],
    nodeAddressMap: addressMap(target),
  });
  client.on('error', () => {});
  let isClosed = false;
  // It does not try again when its first connect() fails; the application has to.
  const connect = () => {
    client.connect().catch(() => {
      if (!isClosed) setTimeout(connect, 250);
    });
  };
  connect();
  return {
    client,
    close: () => {
      isClosed = true;
      return client.destroy();
    },
  };
}

const NO_PASSWORD = { wrong_password: { because: 'these servers have no password' } };

describe.each([
  ['ioredis 5', ioredis],
  ['redis 5', nodeRedis],
])('redisPing with %s and a real sentinel', (name, connect) => {
  itConforms({
    name: `${name} with a sentinel`,
    server: () => group,
    timeoutMs: 200,
    recoverWithinMs: 10_000,
    // Of the sentinel, the master, and what listens for news of the sentinel.
    heldConnections: 6,
    exceptions: NO_PASSWORD,
    createSubject: (target) => {
      const { client, close } = connect(target);
      return { check: redisPing(client), close };
    },
  });

  it('C10: a failover: fails while there is no master, recovers with the new one', async () => {
    const port = await group.masterPort();
    const master = group.members.find((each) => each.port === port);
    const { client, close } = connect({ ...group.address, at: (told) => told });
    const check = harness(redisPing(client), systemClock, 300);
    await vi.waitFor(async () => expect((await check.run()).status).toBe('pass'), 5_000);
    await master?.stop();
    expect((await check.run()).status).toBe('fail');
    await vi.waitFor(async () => expect((await check.run()).status).toBe('pass'), 15_000);
    expect(await group.masterPort()).not.toBe(master?.port);
    await close();
    await group.start();
  });
});
