import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findMosquitto, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

/** Options of {@link startMosquitto}. */
export interface MosquittoOptions {
  /** Demands this password of clients, with the user `hale`. @defaultValue none */
  password?: string;
  /** Lines of an access control list: what they do not allow is refused. @defaultValue everything is allowed */
  accessList?: readonly string[];
}

// CONNECT of MQTT 3.1.1 with a clean session, keep-alive 10 s and the client name "p".
const HELLO = Buffer.from([0x10, 13, 0, 4, 77, 81, 84, 84, 4, 2, 0, 10, 0, 1, 112]);
const CONNACK = 0x20;

/** One raw round trip: a refusal is an answer too. */
function proveAnswer(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(1_000, () => socket.destroy(new Error('no answer within 1000 ms')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed without an answer')));
    socket.once('connect', () => socket.write(HELLO));
    socket.once('data', (chunk: Buffer) => {
      if (chunk[0] === CONNACK) resolve();
      socket.destroy();
    });
  });
}

async function configure(
  folder: string,
  program: string,
  { password, accessList }: MosquittoOptions,
): Promise<string> {
  // Started by root it would become a user who may not read this folder.
  const lines = ['persistence false', 'log_dest stderr', 'user root'];
  lines.push(`allow_anonymous ${password === undefined}`);
  if (password !== undefined) {
    const file = join(folder, 'passwords');
    // Installed beside each other or found the same way.
    const tool = program.includes('/sbin/') ? 'mosquitto_passwd' : `${program}_passwd`;
    await promisify(execFile)(tool, ['-b', '-c', file, 'hale', password]);
    lines.push(`password_file ${file}`);
  }
  if (accessList !== undefined) {
    const file = join(folder, 'access');
    await writeFile(file, `${accessList.join('\n')}\n`);
    lines.push(`acl_file ${file}`);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Starts a real Mosquitto on a free port of 127.0.0.1.
 * @throws Error that names what to install when the server's program is missing
 */
export async function startMosquitto(options: MosquittoOptions = {}): Promise<ManagedServer> {
  const file = findMosquitto();
  if (file === undefined) throw missingServersError(['mosquitto']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-mosquitto-'));
  const settings = await configure(folder, file, options);
  const config = join(folder, 'mosquitto.conf');
  return startManagedServer({
    name: 'Mosquitto',
    folder,
    stopSignal: 'SIGKILL',
    async spawn(port) {
      await writeFile(config, `listener ${port} 127.0.0.1\n${settings}`);
      return startServerProcess({ file, args: ['-c', config], folder });
    },
    proveReady: proveAnswer,
    url: (port) => `mqtt://127.0.0.1:${port}`,
  });
}
