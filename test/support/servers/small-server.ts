import { Resolver } from 'node:dns/promises';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Certificate } from '../certificate.js';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

const PROGRAM = fileURLToPath(new URL('small-server.mjs', import.meta.url));

/** The password of the user `hale` of an `http` server. */
export const HTTP_PASSWORD = 'sesame-of-http';

/** What a small server speaks: `dns` over UDP, everything else over TCP. */
export type SmallServerKind = 'http' | 'banner' | 'tls' | 'dns';

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

async function proveDns(port: number): Promise<void> {
  const resolver = new Resolver({ tries: 1, timeout: 300 });
  resolver.setServers([`127.0.0.1:${port}`]);
  await resolver.resolve4('ready.example');
}

/** Starts a small server of hale's own in a process of its own; `tls` needs a certificate. */
export async function startSmallServer(
  kind: SmallServerKind,
  certificate?: Certificate,
): Promise<ManagedServer> {
  const folder = await mkdtemp(join(tmpdir(), `hale-${kind}-`));
  if (certificate !== undefined) {
    await copyFile(certificate.keyFile, join(folder, 'key.pem'));
    await copyFile(certificate.certFile, join(folder, 'cert.pem'));
  }
  return startManagedServer({
    name: kind,
    folder,
    stopSignal: 'SIGKILL',
    spawn: (port) =>
      startServerProcess({
        file: process.execPath,
        args: [PROGRAM, kind, String(port), folder],
        folder,
      }),
    proveReady: kind === 'dns' ? proveDns : proveTcp,
    url: (port) => `${kind}://127.0.0.1:${port}`,
  });
}
