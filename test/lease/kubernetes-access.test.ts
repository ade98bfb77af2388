import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { kubernetesAccess } from '../../src/lease/kubernetes-access.js';
import { kubernetesLease } from '../../src/lease/stores/kubernetes.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hale-account-'));
  writeFileSync(join(folder, 'namespace'), 'shop\n');
  writeFileSync(join(folder, 'ca.crt'), 'authority of the cluster');
  writeFileSync(join(folder, 'token'), 'first\n');
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.96.0.1');
  vi.stubEnv('KUBERNETES_SERVICE_PORT', '443');
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const access = (options = {}) => kubernetesAccess('kubernetesLease', options, folder);

describe('access to Kubernetes', () => {
  it('is that of the service account, whose files are read anew', () => {
    const { target, namespace, tls, token } = access();
    expect([target.url, namespace, tls(), token()]).toEqual([
      'https://10.96.0.1/',
      'shop',
      { ca: 'authority of the cluster' },
      'first',
    ]);
    writeFileSync(join(folder, 'token'), 'second');
    writeFileSync(join(folder, 'ca.crt'), 'next');
    expect([tls(), token()]).toEqual([{ ca: 'next' }, 'second']);
  });

  it('knows addresses of IPv6', () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '6443');
    expect(access().target.url).toBe('https://[fd00::1]:6443/');
  });

  it('tells another server neither the token nor trusts it as the cluster', () => {
    const { tls, token } = access({ server: 'https://elsewhere', namespace: 'x' });
    expect([tls(), token()]).toEqual([{}, undefined]);
    const own = { server: 'https://elsewhere', ca: 'A', cert: 'B', key: 'C', token: 'D' };
    const given = access(own);
    expect([given.tls(), given.token()]).toEqual([{ ca: 'A', cert: 'B', key: 'C' }, 'D']);
  });

  it('refuses what it cannot use, without repeating secrets', () => {
    expect(() => access({ server: 'http://x' })).toThrow(/kubernetesLease.server must be an https/);
    expect(() => access({ server: 'x' })).toThrow(/kubernetesLease.server/);
    expect(() => access({ cert: 'B' })).toThrow(/kubernetesLease.key must be a key with each cert/);
    expect(() => access({ token: 7 })).toThrow(/token must be a text, got "number"/);
    expect(() => access({ tokenFile: '' })).toThrow(/kubernetesLease.tokenFile/);
    expect(() => access({ namespace: '' })).toThrow(/kubernetesLease.namespace/);
    rmSync(join(folder, 'namespace'));
    expect(() => access()).toThrow(/namespace must be a namespace outside of a pod/);
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
    expect(() => kubernetesLease()).toThrow(/server must be a URL outside of a cluster/);
    const lease = { server: 'https://x', namespace: 'x', prefix: 'Orders' };
    expect(() => kubernetesLease(lease)).toThrow(/kubernetesLease.prefix must be up to 100 of a-z/);
  });
});
