import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/engine/system-clock.js';
import { createFleet } from '../../../src/fleet.js';
import { toBase64 } from '../../../src/lease/etcd-entries.js';
import { etcdLease } from '../../../src/lease/stores/etcd.js';
import type { FaultProxy } from '../../../src/testing/fault-proxy.js';
import { describeLeaseStore } from '../../contract/lease-store-contract.js';
import { proxyOf, serverHarness } from '../../contract/server-harness.js';
import { createCertificate } from '../../support/certificate.js';
import { startEtcd } from '../../support/servers/etcd.js';
import type { ManagedServer } from '../../support/servers/managed-server.js';

let server: ManagedServer;
let proxy: FaultProxy;

beforeAll(async () => {
  server = await startEtcd();
  proxy = await proxyOf(server);
});

afterAll(async () => {
  await proxy?.close();
  await server?.dispose();
});

// What breaks or counts connections goes through the proxy; the rest is faster without.
const throughProxy = /out of reach|blind|restart|listener/;

const harness = (port: (proxyPort: number) => number) => ({
  ...serverHarness({
    server,
    proxy,
    open: (proxyPort) => etcdLease(`http://127.0.0.1:${port(proxyPort)}`),
  }),
  // etcd counts whole seconds, and looks for expired leases twice a second.
  ttlMs: 1000,
  lateMs: 700,
  plantForeign: (name: string) =>
    post('kv/put', { key: toBase64(`hale/lease/${name}`), value: toBase64('secret') }),
});

describeLeaseStore(
  'etcd',
  () => harness(() => server.port),
  // No etcd gets to tokens that big; etcd-entries.test.ts shows them.
  ({ title }) => !throughProxy.test(title) && !title.includes('2^53'),
);
describeLeaseStore(
  'etcd out of reach',
  () => harness((proxyPort) => proxyPort),
  ({ title }) => throughProxy.test(title),
);

const call = () => ({ clock: systemClock, signal: AbortSignal.timeout(5000) });
const request = { name: 'orders', holder: 'a', ttlMs: 60_000, data: '' };

async function post(path: string, body: object, token?: string): Promise<Record<string, string>> {
  const headers = token === undefined ? {} : { authorization: token };
  const response = await fetch(`${server.url}/v3/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, string>;
}

describe('etcdLease', () => {
  it('H1: a ttl that is no whole second is granted as the next lower one', async () => {
    const store = etcdLease(server.url);
    const granted = await store.acquire({ ...request, name: 'odd', ttlMs: 2900 }, call());
    expect(granted).toMatchObject({ kind: 'granted', ttlMs: 2000 });
    store.close?.();
  });

  it('H1: the same holder gets its own again at once, with a new token', async () => {
    const store = etcdLease(server.url, { prefix: 'other/' });
    const first = await store.acquire(request, call());
    const second = await store.acquire(request, call());
    if (first.kind !== 'granted' || second.kind !== 'granted') throw new Error('denied');
    expect(second.token > first.token).toBe(true);
    expect(await store.renew({ ...request, token: first.token }, call())).toEqual({
      kind: 'lost',
      owner: { holder: 'a', token: second.token },
    });
    store.close?.();
  });

  it('asks the next endpoint when one fails', async () => {
    await proxy.set({ kind: 'refuse' });
    const store = etcdLease([`http://127.0.0.1:${proxy.port}`, server.url]);
    try {
      await expect(store.list({}, call())).rejects.toThrow(/ECONNREFUSED|ECONNRESET|hang up/);
      expect(Array.isArray(await store.list({}, call()))).toBe(true);
    } finally {
      store.close?.();
      await proxy.set({ kind: 'ok' });
    }
  });

  it('asks the next endpoint when one has no leader', async () => {
    const lonely = createServer((_, response) => {
      response.writeHead(503).end('{"error":"etcdserver: no leader","code":14}');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => lonely.once('listening', resolve));
    const { port } = lonely.address() as AddressInfo;
    const store = etcdLease([`http://127.0.0.1:${port}`, server.url]);
    try {
      await expect(store.list({}, call())).rejects.toThrow('etcd answered 503: etcdserver: no lea');
      expect(Array.isArray(await store.list({}, call()))).toBe(true);
    } finally {
      store.close?.();
      lonely.close();
    }
  });

  it('H7: a watch is told of grants, releases and expiries, and does not wait for its next look', async () => {
    const store = etcdLease(server.url);
    const events: string[] = [];
    const told = (text: string) => vi.waitFor(() => expect(events).toContain(text), 5000);
    const watch = store.watch({ prefix: 'told/' }, (event) => void events.push(event.kind), {
      clock: systemClock,
      everyMs: 600_000,
    });
    try {
      await told('synced');
      await store.acquire({ ...request, name: 'told/it', ttlMs: 1000 }, call());
      await told('held');
      await told('free');
    } finally {
      await watch.close();
      store.close?.();
    }
  });

  it('H7: a ttl that etcd rounds down is what observers reckon with: its death is no release', async () => {
    const store = etcdLease(server.url);
    const mortal = { ...request, name: 'mortal', ttlMs: 2900 };
    const granted = await store.acquire(mortal, call());
    const fleet = createFleet({ store, prefix: 'mortal', everyMs: 100, preserve: false });
    const told: string[] = [];
    fleet.watch(({ kind }) => void told.push(kind));
    try {
      await vi.waitFor(() => expect(told).toContain('joined'), 5000);
      const token = granted.kind === 'granted' ? granted.token : 0n;
      await store.renew({ ...mortal, token }, call());
      await vi.waitFor(() => expect(told.at(-1)).toMatch(/down|left/), { timeout: 9000 });
      expect(told.at(-1)).toBe('down');
    } finally {
      await fleet.close();
      store.close?.();
    }
  });

  it('speaks https with the authority it is given, and not without', async () => {
    const certificate = createCertificate();
    const [key, cert] = [certificate.keyFile, certificate.certFile].map((file) =>
      readFileSync(file, 'utf8'),
    ) as [string, string];
    const paths: string[] = [];
    const fake = createTlsServer({ key, cert }, ({ url = '' }, response) => {
      paths.push(url);
      response.end('{"header":{"revision":"5"}}\n');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => fake.once('listening', resolve));
    const url = `https://127.0.0.1:${(fake.address() as AddressInfo).port}/etcd/`;
    const [trusting, strange] = [etcdLease(url, { tls: { ca: cert } }), etcdLease(url)];
    const watch = trusting.watch({}, () => {}, { clock: systemClock });
    try {
      await expect(strange.list({}, call())).rejects.toThrow(/self-signed certificate/);
      expect(await trusting.list({}, call())).toEqual([]);
      await vi.waitFor(() => expect(paths).toContain('/etcd/v3/watch'), 5000);
    } finally {
      await watch.close();
      trusting.close?.();
      fake.close();
      certificate.remove();
    }
  });

  it('an answer that is none of etcd proves nothing', async () => {
    const answers = ['{}', '[]', '"ok"', '<html>', '{"header":{"revision":"x"}}'];
    let next = 0;
    const fake = createServer((_, response) => response.end(answers[next])).listen(0, '127.0.0.1');
    await new Promise((resolve) => fake.once('listening', resolve));
    const store = etcdLease(`http://127.0.0.1:${(fake.address() as AddressInfo).port}`);
    try {
      for (next = 0; next < answers.length; next += 1) {
        await expect(store.renew({ ...request, token: 1n }, call())).rejects.toThrow(/without a/);
        await expect(store.list({}, call())).rejects.toThrow(/without a/);
      }
    } finally {
      store.close?.();
      fake.close();
    }
  });

  it('logs in as a user, again when its token has ended, and tells nobody the password', async () => {
    await post('auth/user/add', { name: 'root', password: 'secret-1' });
    await post('auth/user/grant', { user: 'root', role: 'root' });
    await post('auth/enable', {});
    const store = etcdLease(server.url, { user: { name: 'root', password: 'secret-1' } });
    const wrong = etcdLease(server.url, { user: { name: 'root', password: 'secret-2' } });
    try {
      const named = { ...request, name: 'with a user' };
      const granted = await store.acquire(named, call());
      const token = granted.kind === 'granted' ? granted.token : 0n;
      // Simple tokens do not outlive the server.
      await server.restart();
      store.close?.();
      expect((await store.renew({ ...named, token }, call())).kind).toBe('renewed');
      const refused = await wrong.list({}, call()).catch((error: unknown) => String(error));
      expect(refused).toMatch(/etcd answered 400/);
      expect(refused).not.toMatch(/secret/);
      await expect(etcdLease(server.url).list({}, call())).rejects.toThrow(/user name is empty/);
    } finally {
      store.close?.();
      wrong.close?.();
      const { token } = await post('auth/authenticate', { name: 'root', password: 'secret-1' });
      await post('auth/disable', {}, token);
    }
  });

  it('refuses what it cannot use, without repeating secrets', () => {
    expect(() => etcdLease('ftp://x')).toThrow(/etcdLease.url must be an absolute http/);
    expect(() => etcdLease([])).toThrow(/etcdLease.url must be URLs of one protocol/);
    expect(() => etcdLease(['http://x', 'https://x'])).toThrow(/URLs of one protocol/);
    expect(() => etcdLease('http://x', { prefix: '' })).toThrow(/etcdLease.prefix/);
    const user = { name: 'x', password: 7 as never };
    expect(() => etcdLease('http://x', { user })).toThrow(
      /user.password must be a text, got "number"/,
    );
  });
});
