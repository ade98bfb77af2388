import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/engine/system-clock.js';
import { leaseStoreFromUrl } from '../../../src/lease/url/index.js';
import { startEtcd } from '../../support/servers/etcd.js';
import type { ManagedServer } from '../../support/servers/managed-server.js';
import { startNats } from '../../support/servers/nats.js';
import { startPostgres } from '../../support/servers/postgres.js';
import { startRedis } from '../../support/servers/redis.js';
import { startZookeeper } from '../../support/servers/zookeeper.js';

let server: ManagedServer | undefined;

afterEach(async () => {
  await server?.dispose();
  server = undefined;
});

describe('a store by URL, with the client that is installed here, against a real server', () => {
  it.each([
    ['redis', startRedis, ({ port }: ManagedServer) => `redis://127.0.0.1:${port}?prefix=mine:`],
    ['postgres', startPostgres, ({ url }: ManagedServer) => `${url}?table=mine`],
    ['etcd', startEtcd, ({ port }: ManagedServer) => `etcd+http://127.0.0.1:${port}`],
    [
      'nats',
      () => startNats({ jetStream: true }),
      ({ port }: ManagedServer) => `nats://127.0.0.1:${port}?bucket=mine`,
    ],
    [
      'zookeeper with a user',
      startZookeeper,
      ({ port }: ManagedServer) => `zookeeper://me:secret@127.0.0.1:${port}/mine`,
    ],
  ] as const)('H5: %s', async (_name, start, urlOf) => {
    server = await (start as () => Promise<ManagedServer>)();
    const store = await leaseStoreFromUrl(urlOf(server));
    try {
      const call = { clock: systemClock, signal: AbortSignal.timeout(20_000) };
      const request = { name: 'orders', holder: 'a', ttlMs: 10_000, data: 'x' };
      const granted = await store.acquire(request, call);
      expect(granted.kind).toBe('granted');
      const token = granted.kind === 'granted' ? granted.token : 0n;
      expect(await store.renew({ ...request, token }, call)).toMatchObject({ kind: 'renewed' });
      expect(await store.list({}, call)).toMatchObject([{ name: 'orders', holder: 'a', token }]);
      expect(await store.release({ ...request, token }, call)).toEqual({ kind: 'released' });
    } finally {
      store.close?.();
    }
  });
});
