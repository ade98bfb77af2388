import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

const PROGRAM = fileURLToPath(new URL('consul-server.mjs', import.meta.url));

export interface SmallConsulOptions {
  /** As the setting of that name: Consul refuses shorter ones. @defaultValue 10000 */
  readonly sessionTtlMinMs?: number;
  /** The only ACL token that may do anything. @defaultValue everybody may */
  readonly token?: string;
}

/** Starts a small Consul of hale's own: the sessions, keys and transactions that leases need, kept in a file. */
export async function startSmallConsul(options: SmallConsulOptions = {}): Promise<ManagedServer> {
  const { sessionTtlMinMs = 10_000, token = '' } = options;
  const folder = await mkdtemp(join(tmpdir(), 'hale-consul-'));
  return startManagedServer({
    name: 'consul',
    folder,
    stopSignal: 'SIGKILL',
    spawn: (port) =>
      startServerProcess({
        file: process.execPath,
        args: [PROGRAM, String(port), folder, String(sessionTtlMinMs), token],
        folder,
      }),
    proveReady: async (port) => void (await fetch(`http://127.0.0.1:${port}/v1/kv/ready`)),
    url: (port) => `http://127.0.0.1:${port}`,
  });
}
