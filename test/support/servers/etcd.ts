import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEtcd, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { findFreePort, startServerProcess } from './server-process.js';

/** The JSON gateway answers with the cluster's revision once there is a leader. */
async function proveAnswer(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v3/kv/range`, {
    method: 'POST',
    body: '{"key":"YQ=="}',
    signal: AbortSignal.timeout(1_000),
  });
  const text = await response.text();
  // With users it refuses strangers.
  if (!/"revision"|user name is empty/.test(text)) throw new Error(`unexpected answer ${text}`);
}

/**
 * Starts a real etcd of one member on a free port of 127.0.0.1, with the shortest ttl of a lease at one second instead of
 * two.
 * @throws Error that names what to install when the server's program is missing
 */
export async function startEtcd(): Promise<ManagedServer> {
  const file = findEtcd();
  if (file === undefined) throw missingServersError(['etcd']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-etcd-'));
  const peer = `http://127.0.0.1:${await findFreePort()}`;
  return startManagedServer({
    name: 'etcd',
    folder,
    stopSignal: 'SIGKILL',
    spawn: (port) => {
      const client = `http://127.0.0.1:${port}`;
      const args = [
        ['--data-dir', join(folder, 'data')],
        ['--listen-client-urls', client],
        ['--advertise-client-urls', client],
        ['--listen-peer-urls', peer],
        ['--initial-advertise-peer-urls', peer],
        ['--initial-cluster', `default=${peer}`],
        ['--heartbeat-interval', '20'],
        ['--election-timeout', '200'],
        ['--log-level', 'error'],
        ['--logger', 'zap'],
      ];
      return startServerProcess({ file, args: args.flat(), folder });
    },
    proveReady: proveAnswer,
    url: (port) => `http://127.0.0.1:${port}`,
  });
}
