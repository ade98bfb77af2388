import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMemcached, missingServersError } from '../../../tools/ensure-servers.mjs';
import { findIdentity } from './identity.js';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

/** One raw round trip, so that the kit needs no driver. */
function proveAnswer(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(1_000, () => socket.destroy(new Error('no answer within 1000 ms')));
    socket.once('error', reject);
    socket.once('connect', () => socket.write('version\r\n'));
    socket.once('data', (chunk: Buffer) => {
      socket.destroy();
      const answer = chunk.toString();
      if (answer.startsWith('VERSION ')) resolve();
      else reject(new Error(`unexpected answer ${answer}`));
    });
  });
}

/**
 * Starts a real memcached on a free port of 127.0.0.1.
 * @throws Error that names what to install when the server's program is missing
 */
export async function startMemcached(): Promise<ManagedServer> {
  const file = findMemcached();
  if (file === undefined) throw missingServersError(['memcached']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-memcached-'));
  const identity = await findIdentity('memcache');
  return startManagedServer({
    name: 'memcached',
    folder,
    stopSignal: 'SIGKILL',
    spawn: (port) =>
      startServerProcess({
        file,
        args: ['-l', '127.0.0.1', '-p', String(port), '-U', '0', '-m', '8', '-t', '1'],
        folder,
        ...identity,
      }),
    proveReady: proveAnswer,
    url: (port) => `memcached://127.0.0.1:${port}`,
  });
}
