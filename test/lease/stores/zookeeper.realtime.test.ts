import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ACL, type Client, Id, Permission, createClient } from 'node-zookeeper-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LeaseStore } from '../../../src/core/lease-store.js';
import { systemClock } from '../../../src/engine/system-clock.js';
import { pathOf } from '../../../src/lease/zookeeper-nodes.js';
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
  plantForeign: (name: string) => mkdirp(pathOf({ root: '/hale/lease', acl: [] }, name)),
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

const call = () => ({ clock: systemClock, signal: AbortSignal.timeout(5000) });
const request = { name: 'orders', holder: 'a', ttlMs: 60_000, data: '' };
const rival = { ...request, holder: 'b' };

async function grant(store: LeaseStore, wanted = request): Promise<bigint> {
  const answer = await store.acquire(wanted, call());
  if (answer.kind !== 'granted') throw new Error('denied');
  return answer.token;
}

/** Creates a node that holds a text. */
const mkdirp = (path: string): Promise<void> =>
  asAdmin(
    (client) =>
      new Promise((resolve, reject) => {
        client.mkdirp(path, Buffer.from('secret'), (error) => (error ? reject(error) : resolve()));
      }),
  );

/** Works as somebody else with an account. */
async function asAdmin<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = createClient(server.url, { sessionTimeout: 5000 });
  const connected = new Promise<void>((resolve) => client.once('connected', resolve));
  client.connect();
  await connected;
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

const removeNode = (path: string) =>
  asAdmin(
    (client) =>
      new Promise<void>((resolve, reject) => {
        client.remove(path, (error) => (error ? reject(error as Error) : resolve()));
      }),
  );

/** A store whose clients are tampered with. */
const tampered = (path: string, tamper: (client: Client) => void): LeaseStore =>
  zookeeperLease(
    (options) => {
      const client = createClient(server.url, options);
      tamper(client);
      return client;
    },
    { path },
  );

describe('zookeeperLease', () => {
  it('H1: grants what the server grants a session, and never more than asked', async () => {
    const store = open(server.port, '/granted');
    const long = await store.acquire({ ...request, name: 'long', ttlMs: 200_000 }, call());
    expect(long).toMatchObject({ kind: 'granted', ttlMs: 120_000 });
    const short = await store.acquire({ ...request, name: 'short', ttlMs: 50.5 }, call());
    expect(short).toMatchObject({ kind: 'granted', ttlMs: 50.5 });
    expect(await store.list({}, call())).toMatchObject([{ ttlMs: 120_000 }, { ttlMs: 50.5 }]);
    store.close?.();
  });

  it('H1: the same holder gets its own again at once, with a new token', async () => {
    const store = open(server.port, '/again');
    const first = await grant(store);
    const second = await grant(store);
    expect(second > first).toBe(true);
    expect(await store.renew({ ...request, token: first }, call())).toEqual({
      kind: 'lost',
      owner: { holder: 'a', token: second },
    });
    store.close?.();
  });

  it('H5: gets it again when the answer to a grant got lost', async () => {
    let isLost = true;
    const store = tampered('/lost-answer', (client) => {
      const { create } = client;
      client.create = ((...args: Parameters<typeof create>) => {
        const done = args.at(-1) as unknown as (error: unknown, path: string) => void;
        const tell = (error: unknown, path: string): void => {
          done(isLost && error === null ? new Error('cut off') : error, path);
        };
        create.apply(client, [...args.slice(0, -1), tell] as unknown as typeof args);
      }) as typeof create;
    });
    await grant(open(server.port, '/lost-answer'), { ...request, name: 'first' });
    await expect(store.acquire(request, call())).rejects.toThrow('cut off');
    isLost = false;
    const denied = await open(server.port, '/lost-answer').acquire(rival, call());
    expect(denied).toMatchObject({ kind: 'denied', owner: { holder: 'a' } });
    const token = await grant(store);
    expect((await store.renew({ ...request, token }, call())).kind).toBe('renewed');
    store.close?.();
  });

  it('H2: a lease whose node or session somebody has ended is lost, and the next holder is left alone', async () => {
    const [one, two] = [open(server.port, '/ended'), open(server.port, '/ended')];
    const token = await grant(one);
    await removeNode('/ended/orders');
    const next = await grant(two, rival);
    expect(await one.renew({ ...request, token }, call())).toEqual({
      kind: 'lost',
      owner: { holder: 'b', token: next },
    });
    expect((await one.release({ ...request, token }, call())).kind).toBe('not_held');
    expect((await two.renew({ ...rival, token: next }, call())).kind).toBe('renewed');
    expect(await two.list({}, call())).toMatchObject([{ holder: 'b', token: next }]);
    one.close?.();
    two.close?.();
  });

  it('H2: believes that its node is gone only of a server that is not behind', async () => {
    let isBehind = false;
    const store = tampered('/behind', (client) => {
      const { getData } = client;
      client.getData = ((path: string, done: (error: unknown) => void) => {
        if (!isBehind) getData.apply(client, [path, done] as never);
        else done(Object.assign(new Error('no node'), { code: -101 }));
        isBehind = false;
      }) as typeof getData;
    });
    const token = await grant(store);
    isBehind = true;
    expect((await store.renew({ ...request, token }, call())).kind).toBe('renewed');
    isBehind = true;
    expect((await store.release({ ...request, token }, call())).kind).toBe('released');
    store.close?.();
  });

  it('H2: only the store that was granted a lease can renew it, and another proves nothing', async () => {
    const [one, two] = [open(server.port, '/other'), open(server.port, '/other')];
    const token = await grant(one);
    await expect(two.renew({ ...request, token }, call())).rejects.toThrow(/only the store/);
    await expect(two.release({ ...request, token }, call())).rejects.toThrow(/only the store/);
    one.close?.();
    two.close?.();
  });

  it('H5: what is not released when a store is closed is kept until it expires', async () => {
    const [one, two] = [open(server.port, '/kept'), open(server.port, '/kept')];
    const short = { ...request, ttlMs: 600 };
    const token = await grant(one, short);
    one.close?.();
    expect((await two.acquire(rival, call())).kind).toBe('denied');
    expect((await one.renew({ ...short, token }, call())).kind).toBe('renewed');
    one.close?.();
    await expect
      .poll(async () => (await two.acquire(rival, call())).kind, { timeout: 2000 })
      .toBe('granted');
    two.close?.();
  });

  it('H7: a watch is told of grants, releases and expiries, and does not wait for its next look', async () => {
    const store = open(server.port, '/told');
    await grant(store, { ...request, name: 'before' });
    const events: string[] = [];
    const told = (text: string) => vi.waitFor(() => expect(events).toContain(text), 5000);
    const watch = store.watch({ prefix: 'it' }, (event) => void events.push(event.kind), {
      clock: systemClock,
      everyMs: 600_000,
    });
    try {
      await told('synced');
      await grant(store, { ...request, name: 'it', ttlMs: 400 });
      await told('held');
      await told('free');
    } finally {
      await watch.close();
      store.close?.();
    }
  });

  it('keeps to the access control lists it is given', async () => {
    const path = '/guarded';
    const acl = [new ACL(Permission.ALL, new Id('auth', ''))];
    const as = (user: string) =>
      zookeeperLease(
        (options) => {
          const client = createClient(server.url, options);
          client.addAuthInfo('digest', Buffer.from(user));
          return client;
        },
        { path, acl },
      );
    const [one, two] = [as('orders:secret'), as('billing:secret')];
    const token = await grant(one);
    expect((await one.renew({ ...request, token }, call())).kind).toBe('renewed');
    await expect(two.acquire(rival, call())).rejects.toThrow(/NO_AUTH/);
    await expect(removeNode('/guarded/orders')).rejects.toThrow(/NO_AUTH/);
    expect((await one.release({ ...request, token }, call())).kind).toBe('released');
    one.close?.();
    two.close?.();
  });

  it('what is no lease proves nothing', async () => {
    const store = open(server.port, '/strange');
    await mkdirp('/strange/orders');
    await expect(store.acquire(request, call())).rejects.toThrow(/something else than a lease/);
    await expect(store.renew({ ...request, token: 1n }, call())).rejects.toThrow(/something else/);
    store.close?.();
  });

  it('a port on which something else answers proves nothing, and does not end the process', async () => {
    const noise = [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), Buffer.alloc(64, 255)];
    let sockets = 0;
    const fake = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(noise[sockets++ % noise.length] as Buffer));
    }).listen(0, '127.0.0.1');
    await once(fake, 'listening');
    const store = open((fake.address() as AddressInfo).port);
    try {
      for (let round = 0; round < 2; round += 1) {
        const signal = AbortSignal.timeout(300);
        await expect(store.acquire(request, { clock: systemClock, signal })).rejects.toThrow(
          /timeout/,
        );
      }
    } finally {
      store.close?.();
      fake.close();
    }
  });

  it('refuses what it cannot use', async () => {
    const connect = () => createClient(server.url);
    expect(() => zookeeperLease({} as never)).toThrow(/zookeeperLease.connect must be a function/);
    expect(() => zookeeperLease(connect, { path: 'x' })).toThrow(/zookeeperLease.path must be/);
    expect(() => zookeeperLease(connect, { acl: {} as never })).toThrow(/zookeeperLease.acl must/);
    const strange = zookeeperLease(() => ({ on: () => {} }) as never);
    await expect(strange.acquire(request, call())).rejects.toThrow(/node-zookeeper-client 1/);
  });
});
