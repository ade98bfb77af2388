import { createClient } from 'node-zookeeper-client';
import { afterAll, beforeAll } from 'vitest';
import type { LeaseStore } from '../../../src/core/lease-store.js';
import { zookeeperLease } from '../../../src/lease/stores/zookeeper.js';
import type { FaultProxy } from '../../../src/testing/fault-proxy.js';
import { describeLeaseStore } from '../../contract/lease-store-contract.js';
import { proxyOf, serverHarness } from '../../contract/server-harness.js';
import type { ManagedServer } from '../../support/servers/managed-server.js';
import { startZookeeper } from '../../support/servers/zookeeper.js';

let server: ManagedServer;
let proxy: FaultProxy;

beforeAll(async () => {
  server = await startZookeeper();
  proxy = await proxyOf(server);
});

afterAll(async () => {
  await proxy?.close();
  await server?.dispose();
});

const open = (port: number, path?: string): LeaseStore =>
  zookeeperLease(
    (options) => createClient(`127.0.0.1:${port}`, options),
    path === undefined ? {} : { path },
  );

// What breaks or counts connections goes through the proxy; the rest is faster without.
const throughProxy = /out of reach|blind|restart|listener/;

const harness = (port: (proxyPort: number) => number) => ({
  ...serverHarness({ server, proxy, open: (proxyPort) => open(port(proxyPort)) }),
  // A session ends up to two ticks late.
  lateMs: 400,
  heldByClient: true,
});

describeLeaseStore(
  'zookeeper',
  () => harness(() => server.port),
  // Nobody makes so many transactions; zookeeper-nodes.test.ts shows them.
  ({ title }) => !throughProxy.test(title) && !title.includes('2^53'),
);
describeLeaseStore(
  'zookeeper out of reach',
  () => harness((proxyPort) => proxyPort),
  ({ title }) => throughProxy.test(title),
);
