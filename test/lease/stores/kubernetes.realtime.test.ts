import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../../src/core/clock.js';
import type { LeaseStore } from '../../../src/core/lease-store.js';
import { systemClock } from '../../../src/engine/system-clock.js';
import { kubernetesAccess } from '../../../src/lease/kubernetes-access.js';
import { KubernetesApi } from '../../../src/lease/kubernetes-api.js';
import { objectName } from '../../../src/lease/kubernetes-object.js';
import { kubernetesLease } from '../../../src/lease/stores/kubernetes.js';
import type { FaultProxy } from '../../../src/testing/fault-proxy.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';
import { describeLeaseStore } from '../../contract/lease-store-contract.js';
import { proxyOf, serverHarness } from '../../contract/server-harness.js';
import { createCertificate } from '../../support/certificate.js';
import { startRealKubernetes } from '../../support/servers/kubernetes-real.js';
import { type KubernetesServer, startSmallKubernetes } from '../../support/servers/kubernetes.js';

// Debian has no kube-apiserver: everything here runs against a small one of hale's own, and against a real one where the
// path of the program is given.
const REAL = process.env['HALE_TEST_KUBE_APISERVER'];
const servers: Record<string, () => Promise<KubernetesServer>> = {
  'a small API server': startSmallKubernetes,
  ...(REAL && { 'kube-apiserver': () => startRealKubernetes(REAL) }),
};

let kubernetes: KubernetesServer;
let proxy: FaultProxy;

const open = (port = kubernetes.server.port, prefix = 'hale-'): LeaseStore =>
  kubernetesLease({
    server: `https://127.0.0.1:${port}`,
    namespace: 'default',
    ca: kubernetes.ca,
    tokenFile: kubernetes.tokenFile,
    prefix,
  });

// What breaks or counts connections goes through the proxy; the rest is faster without.
const throughProxy = /out of reach|blind|restart|listener/;

const harness = (port: (proxyPort: number) => number) => ({
  ...serverHarness({
    server: kubernetes.server,
    proxy,
    open: (proxyPort) => open(port(proxyPort)),
  }),
  // Whole seconds; a look of an observer is all that tells the time.
  ttlMs: 1000,
  lateMs: 200,
  ownClock: false,
  tellsEnds: true,
  plantForeign: (name: string) =>
    ask('POST', '', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name: objectName('hale-', name),
        labels: { 'app.kubernetes.io/managed-by': 'hale' },
        annotations: { note: 'secret' },
      },
      spec: { holderIdentity: 'secret', leaseTransitions: 1 },
    }),
});

const call = (clock: Clock = systemClock) => ({ clock, signal: AbortSignal.timeout(5000) });

interface Lease {
  readonly metadata: Record<string, unknown>;
  readonly spec: Record<string, unknown>;
}

/** Asks the API itself, as the service account. */
function ask(method: string, path = '', body?: object): Promise<[number, Lease]> {
  const { server, ca, tokenFile } = kubernetes;
  return new Promise((resolve, reject) => {
    const authorization = `Bearer ${readFileSync(tokenFile, 'utf8')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const url = `${server.url}/apis/coordination.k8s.io/v1/namespaces/default/leases${path}`;
    request(url, { ca, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve([response.statusCode ?? 0, JSON.parse(text) as Lease]));
    })
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}

const of = (name: string, ttlMs = 60_000) => ({ name, holder: 'a', ttlMs, data: '' });

async function granted(store: LeaseStore, name: string, clock?: Clock): Promise<bigint> {
  const answer = await store.acquire(of(name), call(clock));
  if (answer.kind !== 'granted') throw new Error('denied');
  return answer.token;
}

describe.each(Object.entries(servers))('%s', (title, start) => {
  beforeAll(async () => {
    kubernetes = await start();
    proxy = await proxyOf(kubernetes.server);
  });

  afterAll(async () => {
    await proxy?.close();
    await kubernetes?.dispose();
  });

  describeLeaseStore(
    title,
    () => harness(() => kubernetes.server.port),
    // leaseTransitions has 32 bits.
    ({ title: what }) => !throughProxy.test(what) && !what.includes('2^53'),
  );
  describeLeaseStore(
    `${title}, out of reach`,
    () => harness((proxyPort) => proxyPort),
    ({ title: what }) => throughProxy.test(what),
  );

  it('H1: a standby waits for the duration of the record, by its own clock, from its first look', async () => {
    const [holder, standby, late] = [open(), open(), open()];
    const clock = createManualClock();
    // Its holder is gone, and had a clock that was an hour fast.
    const fast = { ...systemClock, wallNow: () => systemClock.wallNow() + 3_600_000 };
    const token = await granted(holder, 'standby', fast);
    const short = { ...of('standby', 1000), holder: 'b' };
    const owner = { holder: 'a', token };
    expect(await standby.acquire(short, call(clock))).toEqual({ kind: 'denied', owner });
    await clock.advance(60_000);
    expect(await standby.acquire(short, call(clock))).toEqual({ kind: 'denied', owner });
    await clock.advance(1);
    const late1 = await late.acquire({ ...short, holder: 'c' }, call(clock));
    expect(late1).toEqual({ kind: 'denied', owner });
    const next = { kind: 'granted', token: token + 1n, ttlMs: 1000 };
    expect(await standby.acquire(short, call(clock))).toEqual(next);
    expect((await holder.renew({ ...of('standby'), token }, call())).kind).toBe('lost');
  });

  it('H1: a holder is seen alive though its wall clock stands still', async () => {
    const [holder, observer] = [open(), open()];
    const clock = { ...systemClock, wallNow: () => 1_800_000_000_000 };
    const token = await granted(holder, 'still', clock);
    const revisions = new Set<string | undefined>();
    for (let round = 0; round < 3; round += 1) {
      expect((await holder.renew({ ...of('still'), token }, call(clock))).kind).toBe('renewed');
      revisions.add((await observer.list({ prefix: 'still' }, call()))[0]?.revision);
    }
    expect(revisions.size).toBe(3);
  });

  it('H7: an observer that was frozen while an answer was on its way takes nobody for gone', async () => {
    const [holder, observer] = [open(), open()];
    await granted(holder, 'frozen');
    const clock = createManualClock();
    expect(await observer.list({ prefix: 'frozen' }, call(clock))).toHaveLength(1);
    const answer = observer.list({ prefix: 'frozen' }, call(clock));
    await clock.advance(600_000);
    expect(await answer).toHaveLength(1);
  });

  it('H4: leaseTransitions is the token, the object outlives a release, and nobody may delete it', async () => {
    const store = open();
    const token = await granted(store, 'orders');
    const [, before] = await ask('GET', '/hale-orders');
    expect(before.spec).toMatchObject({
      holderIdentity: 'a',
      leaseDurationSeconds: 60,
      leaseTransitions: Number(token),
      acquireTime: before.spec['renewTime'],
    });
    await store.renew({ ...of('orders'), token }, call());
    const [, renewed] = await ask('GET', '/hale-orders');
    expect(renewed.spec['acquireTime']).toBe(before.spec['acquireTime']);
    expect(renewed.spec['renewTime']).not.toBe(before.spec['renewTime']);
    await store.release({ ...of('orders'), token }, call());
    expect((await ask('DELETE', '/hale-orders'))[0]).toBe(403);
    const [status, free] = await ask('GET', '/hale-orders');
    expect([status, free.spec['holderIdentity']]).toEqual([200, undefined]);
    expect(await granted(store, 'orders')).toBe(token + 1n);
  });

  it('keeps what others have added to an object, and leaves alone what is not its own', async () => {
    const store = open();
    const token = await granted(store, 'labelled');
    const [, lease] = await ask('GET', '/hale-labelled');
    const labels = { ...(lease.metadata['labels'] as object), team: 'shop' };
    await ask('PUT', '/hale-labelled', { ...lease, metadata: { ...lease.metadata, labels } });
    expect((await store.renew({ ...of('labelled'), token }, call())).kind).toBe('renewed');
    const [, after] = await ask('GET', '/hale-labelled');
    expect(after.metadata['labels']).toEqual(labels);

    const foreign = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    const spec = { holderIdentity: 'somebody', leaseDurationSeconds: 1, leaseTransitions: 7 };
    const [status] = await ask('POST', '', { ...foreign, metadata: { name: 'hale-theirs' }, spec });
    expect(status).toBe(201);
    await expect(store.acquire(of('theirs'), call())).rejects.toThrow(
      /than a lease under "Lease hale-theirs"/,
    );
    expect(await store.list({ prefix: 'theirs' }, call())).toEqual([]);
    // Of two prefixes, neither sees the leases of the other.
    expect(await open(undefined, 'hale-label').list({ prefix: 'led' }, call())).toEqual([]);
  });

  it('reads a token that was replaced, and says what was refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hale-token-'));
    const tokenFile = join(folder, 'token');
    const { server, ca } = kubernetes;
    const store = kubernetesLease({ server: server.url, namespace: 'default', ca, tokenFile });
    try {
      writeFileSync(tokenFile, 'secret-of-another-cluster');
      const refused = await store.list({}, call()).catch((error: unknown) => String(error));
      expect(refused).toBe('Error: Kubernetes answered 401: Unauthorized');
      copyFileSync(kubernetes.tokenFile, tokenFile);
      expect(Array.isArray(await store.list({}, call()))).toBe(true);
      const elsewhere = kubernetesLease({ server: server.url, namespace: 'other', ca, tokenFile });
      await expect(elsewhere.list({}, call())).rejects.toThrow(
        /answered 403: leases.* is forbidden/,
      );
      elsewhere.close?.();
    } finally {
      store.close?.();
      rmSync(folder, { recursive: true });
    }
  });

  it('finds its way in a pod by itself', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hale-pod-'));
    writeFileSync(join(folder, 'ca.crt'), kubernetes.ca);
    writeFileSync(join(folder, 'namespace'), 'default\n');
    copyFileSync(kubernetes.tokenFile, join(folder, 'token'));
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '127.0.0.1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', String(kubernetes.server.port));
    const api = new KubernetesApi(kubernetesAccess('kubernetesLease', {}, folder));
    try {
      expect(Array.isArray(await api.list(AbortSignal.timeout(5000)))).toBe(true);
    } finally {
      vi.unstubAllEnvs();
      api.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('kubernetesLease', () => {
  it('H2: an answer that is none of Kubernetes proves nothing', async () => {
    const certificate = createCertificate();
    const [key, ca] = [certificate.keyFile, certificate.certFile].map((file) =>
      readFileSync(file, 'utf8'),
    ) as [string, string];
    const none = { kind: 'Status', reason: 'NotFound', message: 'namespaces "x" not found' };
    const namespaces = JSON.stringify({ ...none, details: { kind: 'namespaces' } });
    const answers: [number, string][] = [
      [404, '<html>'],
      [404, '{}'],
      [404, namespaces],
      [409, '{}'],
      [200, '{}'],
      [302, ''],
      [503, '[]'],
    ];
    let next = 0;
    const fake = createServer({ key, cert: ca }, (_, response) => {
      const [status, text] = answers[next] as [number, string];
      response.writeHead(status).end(text);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => fake.once('listening', resolve));
    const server = `https://127.0.0.1:${(fake.address() as AddressInfo).port}`;
    const store = kubernetesLease({ server, namespace: 'default', ca, token: 'x' });
    try {
      for (next = 0; next < answers.length; next += 1) {
        const lost = store.renew({ ...of('x'), token: 1n }, call());
        await expect(lost).rejects.toThrow(`Kubernetes answered ${answers[next]?.[0]}`);
        await expect(store.list({}, call())).rejects.toThrow('Kubernetes answered');
      }
    } finally {
      store.close?.();
      fake.close();
      certificate.remove();
    }
  });
});
