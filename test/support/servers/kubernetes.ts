import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import { createCertificate } from '../certificate.js';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

/** An API server, and what a pod of it would find in the folder of its service account. */
export interface KubernetesServer {
  readonly server: ManagedServer;
  readonly ca: string;
  /** Where the token of a service account is that may do what the Role in docs/leases.md says. */
  readonly tokenFile: string;
  dispose(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('kubernetes-api.mjs', import.meta.url));
const TOKEN = 'token-of-the-service-account';

/** Starts a small API server of hale's own, which knows Leases of the namespace `default` and keeps them in a file. */
export async function startSmallKubernetes(): Promise<KubernetesServer> {
  const folder = await mkdtemp(join(tmpdir(), 'hale-kubernetes-'));
  const certificate = createCertificate();
  await copyFile(certificate.keyFile, join(folder, 'key.pem'));
  await copyFile(certificate.certFile, join(folder, 'cert.pem'));
  certificate.remove();
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, TOKEN);
  const server = await startManagedServer({
    name: 'kubernetes',
    folder,
    stopSignal: 'SIGKILL',
    spawn: (port) =>
      startServerProcess({
        file: process.execPath,
        args: [PROGRAM, String(port), folder],
        folder,
      }),
    proveReady: proveTcp,
    url: (port) => `https://127.0.0.1:${port}`,
  });
  const ca = readFileSync(join(folder, 'cert.pem'), 'utf8');
  return { server, ca, tokenFile, dispose: () => server.dispose() };
}

function proveTcp(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('error', reject);
    socket.once('connect', () => {
      resolve();
      socket.destroy();
    });
  });
}
