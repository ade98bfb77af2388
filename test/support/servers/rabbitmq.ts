import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findRabbitmqServer, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

const SCRIPT = fileURLToPath(new URL('rabbitmq.sh', import.meta.url));
const MEMORY = fileURLToPath(new URL('rabbitmq-memory.sh', import.meta.url));

// Twelve seconds on an idle machine, most of them spent on opening files.
const READY_WITHIN_MS = 75_000;
/** What a hook that starts it needs at most: two tries. */
export const RABBITMQ_STARTS_WITHIN_MS = 2 * READY_WITHIN_MS + 10_000;

/** A real RabbitMQ. */
export interface RabbitmqServer extends ManagedServer {
  /** Makes it believe that it is short of memory, or no longer. */
  setMemoryAlarm(on: boolean): Promise<void>;
}

/** The broker answers the protocol header with its first frame once it takes connections. */
function proveAnswer(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(1_000, () => socket.destroy(new Error('no answer within 1000 ms')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed without an answer')));
    socket.once('connect', () => socket.write(Buffer.from('AMQP\0\0\x09\x01', 'latin1')));
    socket.once('data', () => {
      resolve();
      socket.destroy();
    });
  });
}

/**
 * Starts a real RabbitMQ on a free port of 127.0.0.1, its user guest:guest.
 * @throws Error that names what to install when the server's program is missing
 */
export async function startRabbitmq(): Promise<RabbitmqServer> {
  const program = findRabbitmqServer();
  if (program === undefined) throw missingServersError(['rabbitmq']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-rabbitmq-'));
  const server = await startManagedServer({
    name: 'RabbitMQ',
    folder,
    stopSignal: 'SIGTERM',
    readyWithinMs: READY_WITHIN_MS,
    spawn: (port) =>
      startServerProcess({
        file: '/bin/sh',
        args: [SCRIPT, program, folder, String(port)],
        folder,
      }),
    proveReady: proveAnswer,
    url: (port) => `amqp://guest:guest@127.0.0.1:${port}`,
  });
  return Object.assign(server, {
    async setMemoryAlarm(on: boolean) {
      const share = on ? '0.00001' : '0.9';
      await promisify(execFile)('/bin/sh', [MEMORY, folder, String(server.port), share]);
    },
  });
}
