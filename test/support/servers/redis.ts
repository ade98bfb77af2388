import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisServer, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

/** Options of {@link startRedis}. */
export interface RedisServerOptions {
  /** Demands this password of clients. @defaultValue none */
  password?: string;
}

/** One raw round trip, so that the kit needs no driver: a password error is an answer too. */
function proveAnswer(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(1_000, () => socket.destroy(new Error('no answer within 1000 ms')));
    socket.once('error', reject);
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (chunk: Buffer) => {
      socket.destroy();
      const answer = chunk.toString();
      if (/^(\+PONG|-NOAUTH)/.test(answer)) resolve();
      else reject(new Error(`unexpected answer ${answer}`));
    });
  });
}

/**
 * Starts a real Redis without persistence on a free port of 127.0.0.1.
 * @throws Error that names what to install when the server's program is missing
 */
export async function startRedis(options: RedisServerOptions = {}): Promise<ManagedServer> {
  const file = findRedisServer();
  if (file === undefined) throw missingServersError(['redis']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-redis-'));
  const { password } = options;
  const secret = password === undefined ? [] : ['--requirepass', password];
  const fixed = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  return startManagedServer({
    name: 'Redis',
    folder,
    stopSignal: 'SIGKILL',
    spawn: (port) =>
      startServerProcess({ file, args: ['--port', String(port), ...fixed, ...secret], folder }),
    proveReady: proveAnswer,
    url: (port) => `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
  });
}
