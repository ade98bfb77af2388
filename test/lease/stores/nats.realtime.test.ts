import { Kvm } from '@nats-io/kv';
import { type NatsConnection, connect } from '@nats-io/transport-node';
import { connect as connect2 } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LeaseStore } from '../../../src/core/lease-store.js';
import { systemClock } from '../../../src/engine/system-clock.js';
import { keyOf } from '../../../src/lease/nats-entries.js';
import { natsLease } from '../../../src/lease/stores/nats.js';
import type { FaultProxy } from '../../../src/testing/fault-proxy.js';
import { describeLeaseStore } from '../../contract/lease-store-contract.js';
import { proxyOf, serverHarness } from '../../contract/server-harness.js';
import type { ManagedServer } from '../../support/servers/managed-server.js';
import { startNats } from '../../support/servers/nats.js';

let server: ManagedServer;
let proxy: FaultProxy;

beforeAll(async () => {
  server = await startNats({ jetStream: true });
  proxy = await proxyOf(server);
});

afterAll(async () => {
  await proxy?.close();
  await server?.dispose();
});

const kvm = (connection: NatsConnection) => new Kvm(connection);

const open = (port: number, bucket?: string): LeaseStore => {
  const options = { servers: `127.0.0.1:${port}`, timeout: 1000 };
  return natsLease(() => connect(options), kvm, bucket === undefined ? {} : { bucket });
};

/** The client of before, whose buckets are opened elsewhere. */
const open2 = (port: number): LeaseStore =>
  natsLease(
    () => connect2({ servers: `127.0.0.1:${port}`, timeout: 1000 }),
    (connection) => ({
      create: (name, options) => connection.jetstream().views.kv(name, options),
    }),
  );

describeLeaseStore(
  'nats',
  () => ({
    ...serverHarness({ server, proxy, open }),
    plantForeign: (name) =>
      withKvm(async (all) => (await all.open('hale_leases')).put(keyOf(name), 'secret')),
  }),
  ({ title }) => {
    // No stream gets to revisions that big.
    return !title.includes('2^53');
  },
);

describeLeaseStore(
  'nats with the client of version 2',
  () => serverHarness({ server, proxy, open: open2 }),
  ({ title }) => /time-out|listener|grants|denies|of 20|cannot be renewed|lists/.test(title),
);

const call = () => ({ clock: systemClock, signal: AbortSignal.timeout(5000) });
const request = { name: 'orders', holder: 'a', ttlMs: 60_000, data: '' };

/** Works on the bucket itself. */
async function withKvm<T>(work: (kvm: Kvm) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: `127.0.0.1:${server.port}` });
  try {
    return await work(new Kvm(connection));
  } finally {
    await connection.close();
  }
}

describe('natsLease', () => {
  it('H1: the same holder gets its own again at once, with a new token', async () => {
    const store = open(server.port, 'again');
    const [first, second] = [
      await store.acquire(request, call()),
      await store.acquire(request, call()),
    ];
    if (first.kind !== 'granted' || second.kind !== 'granted') throw new Error('denied');
    expect(second.token > first.token).toBe(true);
    expect(await store.renew({ ...request, token: first.token }, call())).toEqual({
      kind: 'lost',
      owner: { holder: 'a', token: second.token },
    });
    store.close?.();
  });

  it('H2: a renewal of what has expired frees it, and observers do not see it come back', async () => {
    const store = open(server.port, 'expired');
    const short = { ...request, ttlMs: 100 };
    const granted = await store.acquire(short, call());
    const token = granted.kind === 'granted' ? granted.token : 0n;
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await store.renew({ ...short, ttlMs: 60_000, token }, call())).toEqual({
      kind: 'lost',
      owner: {},
    });
    expect(await store.list({}, call())).toEqual([]);
    expect(await store.acquire({ ...request, holder: 'b' }, call())).toMatchObject({
      kind: 'granted',
    });
    store.close?.();
  });

  it('H4: a lease whose bucket was deleted is lost, and tokens begin again', async () => {
    const store = open(server.port, 'deleted');
    await store.acquire({ ...request, name: 'first' }, call());
    const granted = await store.acquire(request, call());
    const token = granted.kind === 'granted' ? granted.token : 0n;
    await withKvm(async (all) => (await all.open('deleted')).destroy());
    await expect(store.renew({ ...request, token }, call())).rejects.toThrow(
      /no responders|stream not found|not enabled/,
    );
    expect(await store.renew({ ...request, token }, call())).toEqual({ kind: 'lost', owner: {} });
    const again = await store.acquire(request, call());
    expect(again.kind === 'granted' && again.token < token).toBe(true);
    store.close?.();
  });

  it('H4: a key that somebody has deleted is free, and its next token is higher', async () => {
    const store = open(server.port, 'deleted-key');
    const granted = await store.acquire(request, call());
    const token = granted.kind === 'granted' ? granted.token : 0n;
    await withKvm(async (all) => (await all.open('deleted-key')).delete('lease.orders'));
    expect((await store.renew({ ...request, token }, call())).kind).toBe('lost');
    const next = await store.acquire({ ...request, holder: 'b' }, call());
    expect(next.kind === 'granted' && next.token > token).toBe(true);
    store.close?.();
  });

  it('refuses a bucket that forgets leases, and one that mirrors another', async () => {
    await withKvm(async (all) => {
      await all.create('short', { ttl: 60_000 });
      await all.create('memory', { storage: 'memory' as never });
      await all.create('mirror', { mirror: { name: 'expired' } });
    });
    for (const [bucket, fault] of [
      ['short', 'without a ttl of its own'],
      ['memory', 'kept in files'],
      ['mirror', 'no mirror'],
    ] as const) {
      const store = open(server.port, bucket);
      await expect(store.acquire(request, call()), bucket).rejects.toThrow(
        new RegExp(`natsLease.bucket must be a bucket .*${fault}`),
      );
      store.close?.();
    }
  });

  it('what is no lease proves nothing', async () => {
    const store = open(server.port, 'strange');
    await store.acquire({ ...request, name: 'another' }, call());
    await withKvm(async (all) => (await all.open('strange')).put('lease.orders', 'hello'));
    await expect(store.acquire(request, call())).rejects.toThrow(/something else than a lease/);
    await expect(store.renew({ ...request, token: 1n }, call())).rejects.toThrow(/something else/);
    store.close?.();
  });

  it('E5: a connection that opens after its call was given up is closed', async () => {
    let opened: NatsConnection | undefined;
    let openIt = (): void => {};
    const store = natsLease(async () => {
      await new Promise<void>((resolve) => (openIt = resolve));
      opened = await connect({ servers: `127.0.0.1:${server.port}` });
      return opened;
    }, kvm);
    const given = new AbortController();
    const acquired = store.acquire(request, { clock: systemClock, signal: given.signal });
    given.abort(new Error('given up'));
    await expect(acquired).rejects.toThrow('given up');
    openIt();
    await expect.poll(() => opened?.isClosed()).toBe(true);
    store.close?.();
  });
});
