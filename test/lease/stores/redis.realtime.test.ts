import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHealth } from '../../../src/create-health.js';
import { systemClock } from '../../../src/engine/system-clock.js';
import { createLease } from '../../../src/lease/keeper.js';
import { type RedisLeaseClient, redisLease } from '../../../src/lease/stores/redis.js';
import type { FaultProxy } from '../../../src/testing/fault-proxy.js';
import { describeLeaseStore } from '../../contract/lease-store-contract.js';
import { createLog } from '../../engine/support.js';
import { proxyOf, serverHarness } from '../../contract/server-harness.js';
import type { ManagedServer } from '../../support/servers/managed-server.js';
import { startRedis } from '../../support/servers/redis.js';

let server: ManagedServer;
let proxy: FaultProxy;

beforeAll(async () => {
  server = await startRedis({ durable: true });
  proxy = await proxyOf(server);
});

afterAll(async () => {
  await proxy?.close();
  await server?.dispose();
});

const clients: Record<string, (port: number) => RedisLeaseClient> = {
  ioredis: (port) => new Redis(port, '127.0.0.1', { lazyConnect: true }),
  // Its defaults: an offline queue, and attempts to reconnect for ever.
  'ioredis that connects by itself': (port) => new Redis(port, '127.0.0.1'),
  'node-redis': (port) => createClient({ url: `redis://127.0.0.1:${port}` }),
};

async function redis(...command: [string, ...string[]]): Promise<unknown> {
  const client = new Redis(server.port, '127.0.0.1');
  try {
    return await client.call(...command);
  } finally {
    client.disconnect();
  }
}

for (const [name, connect] of Object.entries(clients))
  describeLeaseStore(
    `redis with ${name}`,
    () => ({
      ...serverHarness({
        server,
        proxy,
        open: (port) => redisLease(() => connect(port)),
        forceToken: async (lease, token) =>
          void (await redis('SET', `hale:{lease}:fence:${lease}`, String(token))),
      }),
      plantForeign: async (lease) => {
        await redis('SET', `hale:{lease}:held:${lease}`, 'secret');
        await redis('ZADD', 'hale:{lease}:names', String(2 ** 50), lease);
      },
    }),
    // What only the scripts decide is shown once.
    ({ title }) =>
      name === 'ioredis' || /time-out|blind|listener|restart|grants|denies/.test(title),
  );

const call = () => ({ clock: systemClock, signal: new AbortController().signal });
const request = { name: 'orders', holder: 'a', ttlMs: 60_000, data: '' };

describe('redisLease', () => {
  it('D1, H2: leases that share a store are all released by the drain', async () => {
    const store = redisLease(() => new Redis(server.port, '127.0.0.1', { lazyConnect: true }));
    const { logger, lines } = createLog();
    const health = createHealth({
      env: {},
      isolation: 'inline',
      signals: false,
      logger,
      probes: { port: 0, host: '127.0.0.1' },
      diagnostic: false,
      shutdown: { propagationDelayMs: 0 },
    });
    const names = ['shared/a', 'shared/b', 'shared/c'];
    const leases = names.map((name) => createLease({ store, name }));
    for (const lease of leases) health.lease(lease);
    await health.start();
    await Promise.all(leases.map((lease) => lease.untilHeld()));
    await health.shutdown();
    const released = lines.filter(({ fields }) => fields['event'] === 'lease_released');
    expect(released.map(({ fields }) => String(fields['lease'])).toSorted()).toEqual(names);
    await health.dispose();
  });

  it('H4: the token outlives the lease: its key has no ttl', async () => {
    const store = redisLease(() => new Redis(server.port, '127.0.0.1', { lazyConnect: true }), {
      prefix: 'other:{x}:',
    });
    await store.acquire(request, call());
    expect(await redis('PTTL', 'other:{x}:fence:orders')).toBe(-1);
    expect(await redis('PTTL', 'other:{x}:held:orders')).toBeGreaterThan(50_000);
    store.close?.();
  });

  it('an answer that is none proves nothing', async () => {
    const client = {
      status: 'ready',
      connect: async () => {},
      call: async () => 'QUEUED',
      on: () => {},
      disconnect: () => {},
    };
    await expect(redisLease(() => client).acquire(request, call())).rejects.toThrow(
      /something else than a list/,
    );
  });

  it('refuses what is no factory, and a prefix that is none', () => {
    expect(() => redisLease({} as never)).toThrow(/redisLease.connect must be a function/);
    expect(() => redisLease(() => ({}) as never, { prefix: '' })).toThrow(/redisLease.prefix/);
  });
});
