import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate } from '../certificate.js';
import { startEtcd } from './etcd.js';
import type { KubernetesServer } from './kubernetes.js';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

const ADMIN = 'token-of-the-administrator';

/**
 * Starts a real API server of Kubernetes over a real etcd, with a service account that has the Role of docs/leases.md.
 * @param file - the program `kube-apiserver`
 */
export async function startRealKubernetes(file: string): Promise<KubernetesServer> {
  const folder = await mkdtemp(join(tmpdir(), 'hale-kube-apiserver-'));
  const certificate = createCertificate();
  await copyFile(certificate.keyFile, join(folder, 'key.pem'));
  await copyFile(certificate.certFile, join(folder, 'cert.pem'));
  certificate.remove();
  const ca = readFileSync(join(folder, 'cert.pem'), 'utf8');
  execFileSync('openssl', ['genrsa', '-out', join(folder, 'sa.key'), '2048'], { stdio: 'ignore' });
  await writeFile(join(folder, 'users.csv'), `${ADMIN},admin,1,system:masters\n`);
  const etcd = await startEtcd();
  const server = await startManagedServer({
    name: 'kube-apiserver',
    folder,
    stopSignal: 'SIGKILL',
    readyWithinMs: 180_000,
    spawn: (port) => startServerProcess({ file, args: flags(folder, port, etcd), folder }),
    async proveReady(port) {
      const answer = await ask(ca, port, 'GET', '/readyz');
      if (answer !== 'ok') throw new Error(answer);
    },
    url: (port) => `https://127.0.0.1:${port}`,
  }).catch(async (error: unknown) => {
    await etcd.dispose();
    throw error;
  });
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, await serviceAccountToken(ca, server));
  return {
    server,
    ca,
    tokenFile,
    dispose: async () => {
      await server.dispose();
      await etcd.dispose();
    },
  };
}

function flags(folder: string, port: number, etcd: ManagedServer): string[] {
  return [
    ['--etcd-servers', etcd.url],
    ['--bind-address', '127.0.0.1'],
    ['--secure-port', String(port)],
    ['--tls-cert-file', join(folder, 'cert.pem')],
    ['--tls-private-key-file', join(folder, 'key.pem')],
    ['--cert-dir', folder],
    ['--token-auth-file', join(folder, 'users.csv')],
    ['--service-account-key-file', join(folder, 'sa.key')],
    ['--service-account-signing-key-file', join(folder, 'sa.key')],
    ['--service-account-issuer', 'https://kubernetes.default.svc'],
    ['--authorization-mode', 'RBAC'],
    ['--disable-admission-plugins', 'ServiceAccount'],
    ['--service-cluster-ip-range', '10.96.0.0/16'],
  ].map(([flag, value]) => `${flag}=${value}`);
}

/** The Role of docs/leases.md, bound to a service account. */
async function serviceAccountToken(ca: string, { port }: ManagedServer): Promise<string> {
  const namespace = '/api/v1/namespaces/default';
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const metadata = { name: 'orders' };
  const apiGroups = ['coordination.k8s.io'];
  const verbs = ['get', 'list', 'create', 'update'];
  const post = (path: string, body: object) => ask(ca, port, 'POST', path, body);
  await post(`${namespace}/serviceaccounts`, { metadata });
  await post(`${rbac}/roles`, { metadata, rules: [{ apiGroups, resources: ['leases'], verbs }] });
  await post(`${rbac}/rolebindings`, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'orders' },
    subjects: [{ kind: 'ServiceAccount', name: 'orders', namespace: 'default' }],
  });
  const text = await post(`${namespace}/serviceaccounts/orders/token`, { spec: {} });
  return (JSON.parse(text) as { status: { token: string } }).status.token;
}

/** Asks as the administrator. */
function ask(
  ca: string,
  port: number,
  method: string,
  path: string,
  body?: object,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' };
    const options = { ca, port, host: '127.0.0.1', method, path, headers, agent: false };
    request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        (response.statusCode ?? 0) < 300 ? resolve(text) : reject(new Error(text)),
      );
    })
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}
