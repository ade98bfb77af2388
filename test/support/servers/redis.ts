import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
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
  /** Follows the master on this port. */
  replicaOf?: number;
  /** Every write is on the disk before it is answered, and survives a restart. @defaultValue false */
  durable?: boolean;
  /** Is a node of a cluster, which it does not know of yet. @defaultValue false */
  clusterNode?: boolean;
  /** Text of a configuration file, for Redis to go on writing: a sentinel. */
  sentinel?: string;
}

/** Sends one command and resolves with the raw answer, so that the kit needs no driver. */
export function redisCommand(port: number, ...words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(1_000, () => socket.destroy(new Error('no answer within 1000 ms')));
    socket.once('error', reject);
    socket.once('connect', () => socket.write(`${words.join(' ')}\r\n`));
    socket.once('data', (chunk: Buffer) => {
      socket.destroy();
      resolve(chunk.toString());
    });
  });
}

/** A password error is an answer too. */
async function proveAnswer(port: number): Promise<void> {
  const answer = await redisCommand(port, 'PING');
  if (!/^(\+PONG|-NOAUTH)/.test(answer)) throw new Error(`unexpected answer ${answer}`);
}

function roleArguments(options: RedisServerOptions): string[] {
  const { password, replicaOf, clusterNode, durable } = options;
  const log = durable === true ? ['yes', '--appendfsync', 'always'] : ['no'];
  const cluster = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '5000'];
  return [
    ...['--save', '', '--appendonly', ...log, '--repl-diskless-sync-delay', '0'],
    ...(password === undefined ? [] : ['--requirepass', password]),
    ...(replicaOf === undefined ? [] : ['--replicaof', '127.0.0.1', String(replicaOf)]),
    ...(clusterNode === true ? cluster : []),
  ];
}

/** A sentinel keeps what it learns in its file, so that file is written only once. */
async function sentinelArguments(folder: string, text: string): Promise<string[]> {
  const file = join(folder, 'sentinel.conf');
  if (!existsSync(file)) await writeFile(file, text);
  return [file, '--sentinel'];
}

/**
 * Starts a real Redis, without persistence unless asked for, on a free port of 127.0.0.1.
 * @throws Error that names what to install when the server's program is missing
 */
export async function startRedis(options: RedisServerOptions = {}): Promise<ManagedServer> {
  const file = findRedisServer();
  if (file === undefined) throw missingServersError(['redis']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-redis-'));
  const { password, sentinel } = options;
  return startManagedServer({
    name: 'Redis',
    folder,
    stopSignal: 'SIGKILL',
    spawn: async (port) => {
      const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
      const args =
        sentinel === undefined
          ? [...fixed, ...roleArguments(options)]
          : [...(await sentinelArguments(folder, sentinel)), ...fixed];
      return startServerProcess({ file, args, folder });
    },
    proveReady: proveAnswer,
    url: (port) => `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
  });
}
