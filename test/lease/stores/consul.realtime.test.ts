import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LeaseStore } from '../../../src/core/lease-store.js';
import { systemClock } from '../../../src/engine/system-clock.js';
import { keyOf } from '../../../src/lease/consul-entries.js';
import { consulLease } from '../../../src/lease/stores/consul.js';
import type { FaultProxy } from '../../../src/testing/fault-proxy.js';
import { describeLeaseStore } from '../../contract/lease-store-contract.js';
import type { StoreHarness } from '../../contract/lease-store-bench.js';
import { proxyOf, serverHarness } from '../../contract/server-harness.js';
import { createCertificate } from '../../support/certificate.js';
import { startSmallConsul } from '../../support/servers/consul.js';
import type { ManagedServer } from '../../support/servers/managed-server.js';

let server: ManagedServer;
let proxy: FaultProxy;

beforeAll(async () => {
  // A real one would do with `session_ttl_min = "100ms"`.
  server = await startSmallConsul({ sessionTtlMinMs: 100 });
  proxy = await proxyOf(server);
});

afterAll(async () => {
  await proxy?.close();
  await server?.dispose();
});

// What breaks or counts connections goes through the proxy; the rest is faster without.
const throughProxy = /out of reach|blind|restart|listener/;

const harness = (port: (proxyPort: number) => number): StoreHarness => ({
  ...serverHarness({
    server,
    proxy,
    open: (proxyPort) => consulLease(`http://127.0.0.1:${port(proxyPort)}`),
  }),
  ttlMs: 400,
  // A session lives for twice its ttl, which it has from its beginning.
  lateMs: 600,
  fixedTtl: true,
  tellsEnds: true,
  plantForeign: (name) => put(`kv/${keyOf('hale/lease/', name)}`, 'secret'),
});

const applies = ({ title }: { title: string }) => !/2\^53|extends the lease from now/.test(title);

describeLeaseStore(
  'Consul',
  () => harness(() => server.port),
  (each) => applies(each) && !throughProxy.test(each.title),
);
describeLeaseStore(
  'Consul out of reach',
  () => harness((proxyPort) => proxyPort),
  (each) => applies(each) && throughProxy.test(each.title),
);

// A real Consul, such as `consul agent -dev`, where its address is given: what needs no control of its process, with the
// shortest ttl that it takes unless told otherwise.
const REAL = process.env['HALE_TEST_CONSUL'];
for (const url of REAL ? [REAL] : [])
  describeLeaseStore(
    'a real Consul',
    () => {
      const token = process.env['CONSUL_HTTP_TOKEN'];
      const open = (): LeaseStore => consulLease(url, token ? { token } : {});
      return { ...harness((port) => port), open, ttlMs: 10_000, lateMs: 11_000 };
    },
    // Nothing is planted into what is not the test's own.
    (each) => applies(each) && !/no lease/.test(each.title) && !throughProxy.test(each.title),
  );

const call = () => ({ clock: systemClock, signal: AbortSignal.timeout(5000) });
const of = (name: string, ttlMs = 60_000) => ({ name, holder: 'a', ttlMs, data: '' });

async function granted(store: LeaseStore, name: string): Promise<bigint> {
  const answer = await store.acquire(of(name), call());
  if (answer.kind !== 'granted') throw new Error('denied');
  return answer.token;
}

const put = async (path: string, body = ''): Promise<unknown> =>
  (await fetch(`${server.url}/v1/${path}`, { method: 'PUT', body })).json();

const pair = async (key: string) => {
  const answer = await fetch(`${server.url}/v1/kv/${key}`);
  return ((await answer.json()) as { Session?: string; LockIndex: number }[])[0];
};

describe('consulLease', () => {
  it('H1: the same holder gets its own again at once, with a new token', async () => {
    const store = consulLease(server.url, { prefix: 'other/' });
    const first = await granted(store, 'own');
    const second = await granted(store, 'own');
    expect(second).toBe(first + 1n);
    const owner = { holder: 'a', token: second };
    expect(await store.renew({ ...of('own'), token: first }, call())).toEqual({
      kind: 'lost',
      owner,
    });
    store.close?.();
  });

  it('H2: a session that lives is no lease: a lock that somebody has taken away is lost', async () => {
    const store = consulLease(server.url);
    const token = await granted(store, 'taken');
    const { Session = '' } = (await pair('hale/lease/taken')) ?? {};
    expect(await put(`kv/hale/lease/taken?release=${Session}`, '{"name":"taken"}')).toBe(true);
    expect(await put(`session/renew/${Session}`)).toHaveLength(1);
    expect(await store.renew({ ...of('taken'), token }, call())).toEqual({
      kind: 'lost',
      owner: {},
    });
    expect((await pair('hale/lease/taken'))?.Session).toBe('');
    store.close?.();
  });

  it('H2: a lock without its session is lost, and free', async () => {
    const store = consulLease(server.url);
    const token = await granted(store, 'destroyed');
    await put(`session/destroy/${(await pair('hale/lease/destroyed'))?.Session}`);
    expect((await store.renew({ ...of('destroyed'), token }, call())).kind).toBe('lost');
    expect(await granted(store, 'destroyed')).toBe(token + 1n);
    store.close?.();
  });

  it('H1: a renewal does not claim more than the session was begun with', async () => {
    const store = consulLease(server.url);
    const token = await granted(store, 'longer');
    const renewed = await store.renew({ ...of('longer', 90_000), token }, call());
    expect(renewed).toEqual({ kind: 'renewed', ttlMs: 60_000 });
    store.close?.();
  });

  it('H4: a release keeps the key, and leaves no session', async () => {
    const store = consulLease(server.url);
    const token = await granted(store, 'kept');
    const { Session } = (await pair('hale/lease/kept')) ?? {};
    expect(await store.release({ ...of('kept'), token }, call())).toEqual({ kind: 'released' });
    expect(await pair('hale/lease/kept')).toMatchObject({ Session: '', LockIndex: Number(token) });
    const renewal = await fetch(`${server.url}/v1/session/renew/${Session}`, { method: 'PUT' });
    expect(renewal.status).toBe(404);
    store.close?.();
  });

  it('says what was refused, and tells nobody the token', async () => {
    const closed = await startSmallConsul({ token: 'secret-1' });
    const [wrong, right] = [
      consulLease(closed.url, { token: 'secret-2' }),
      consulLease(closed.url, { token: 'secret-1' }),
    ];
    try {
      const refused = await wrong.list({}, call()).catch((error: unknown) => String(error));
      expect(refused).toMatch(/^Error: Consul answered 403: Permission denied/);
      expect(refused).not.toMatch(/secret/);
      const short = right.acquire(of('short', 9999), call());
      await expect(short).rejects.toThrow(/answered 400: Invalid Session TTL '9999000000'/);
      expect(await granted(right, 'long')).toBe(1n);
    } finally {
      wrong.close?.();
      right.close?.();
      await closed.dispose();
    }
  });

  it('H2: an answer that is none of Consul proves nothing', async () => {
    const answers: [number, string][] = [
      [404, ''],
      [404, '<html>'],
      [200, '[]'],
      [301, ''],
      [500, 'rpc error making call: No cluster leader'],
    ];
    let next = 0;
    const fake = createServer((_, response) => {
      const [status, text] = answers[next] as [number, string];
      response.writeHead(status).end(text);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => fake.once('listening', resolve));
    const store = consulLease(`http://127.0.0.1:${(fake.address() as AddressInfo).port}`);
    try {
      for (next = 0; next < answers.length; next += 1) {
        const text = `Consul answered ${answers[next]?.[0]}`;
        await expect(store.renew({ ...of('x'), token: 1n }, call())).rejects.toThrow(text);
        await expect(store.list({}, call())).rejects.toThrow(text);
      }
    } finally {
      store.close?.();
      fake.close();
    }
  });

  it('speaks https with the authority it is given, and not without', async () => {
    const certificate = createCertificate();
    const [key, cert] = [certificate.keyFile, certificate.certFile].map((file) =>
      readFileSync(file, 'utf8'),
    ) as [string, string];
    const fake = createTlsServer({ key, cert }, (_, response) => {
      response.writeHead(404, { 'x-consul-index': '7' }).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => fake.once('listening', resolve));
    const url = `https://127.0.0.1:${(fake.address() as AddressInfo).port}/`;
    const [trusting, strange] = [consulLease(url, { tls: { ca: cert } }), consulLease(url)];
    try {
      await expect(strange.list({}, call())).rejects.toThrow(/self-signed certificate/);
      expect(await trusting.list({}, call())).toEqual([]);
    } finally {
      trusting.close?.();
      fake.close();
      certificate.remove();
    }
  });

  it('refuses what it cannot use, without repeating secrets', () => {
    expect(() => consulLease('ftp://x')).toThrow(/consulLease.url must be an absolute http/);
    expect(() => consulLease('http://x', { prefix: 'a//' })).toThrow(/consulLease.prefix must be/);
    expect(() => consulLease('http://x', { prefix: '/a' })).toThrow(/consulLease.prefix must be/);
    expect(() => consulLease('http://x', { minTtlMs: 0 })).toThrow(/consulLease.minTtlMs/);
    const token = 7 as never;
    expect(() => consulLease('http://x', { token })).toThrow(/token must be a text, got "number"/);
    expect(consulLease('http://x').minTtlMs).toBe(10_000);
  });
});
