import { mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

/** Options of {@link startNats}. */
export interface NatsServerOptions {
  /** Demands this password of clients, with the user `hale`. @defaultValue none */
  password?: string;
  /** Turns JetStream on. @defaultValue false */
  jetStream?: boolean;
}

/** The server greets every client with its first line. */
function proveAnswer(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(1_000, () => socket.destroy(new Error('no answer within 1000 ms')));
    socket.once('error', reject);
    socket.once('data', (chunk: Buffer) => {
      socket.destroy();
      const greeting = chunk.toString();
      if (greeting.startsWith('INFO ')) resolve();
      else reject(new Error(`unexpected greeting ${greeting}`));
    });
  });
}

function configuration(port: number, folder: string, options: NatsServerOptions): string {
  const { password, jetStream = false } = options;
  const users = password === undefined ? '' : `authorization { user: hale, password: ${password} }`;
  const store = jetStream ? `jetstream { store_dir: "${join(folder, 'jetstream')}" }` : '';
  return `listen: "127.0.0.1:${port}"\n${users}\n${store}\n`;
}

/**
 * Starts a real NATS server on a free port of 127.0.0.1.
 * @throws Error that names what to install when the server's program is missing
 */
export async function startNats(options: NatsServerOptions = {}): Promise<ManagedServer> {
  const file = findNatsServer();
  if (file === undefined) throw missingServersError(['nats']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-nats-'));
  const config = join(folder, 'nats.conf');
  return startManagedServer({
    name: 'NATS',
    folder,
    stopSignal: 'SIGKILL',
    async spawn(port) {
      await writeFile(config, configuration(port, folder, options));
      return startServerProcess({ file, args: ['-c', config], folder });
    },
    proveReady: proveAnswer,
    url: (port) => `nats://127.0.0.1:${port}`,
  });
}
