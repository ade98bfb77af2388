import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findKafkaMock, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

const SCRIPT = fileURLToPath(new URL('kafka-mock.py', import.meta.url));

/** Options of {@link startKafka}. */
export interface KafkaServerOptions {
  /** The topic that exists. */
  topic: string;
  /** Its partitions. @defaultValue 2 */
  partitions?: number;
}

// ApiVersions, version 0, without a client name.
const HELLO = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff]);

function proveAnswer(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(1_000, () => socket.destroy(new Error('no answer within 1000 ms')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed without an answer')));
    socket.once('connect', () => socket.write(HELLO));
    socket.once('data', () => {
      resolve();
      socket.destroy();
    });
  });
}

/**
 * Starts the mock of a Kafka cluster that librdkafka brings, one broker on a free port of 127.0.0.1. It speaks the real
 * protocol, coordinates groups and knows no passwords; what it holds is lost with a restart. It tells clients a port of
 * its own: they must be made to connect to `address` whatever they are told.
 * @throws Error that names what to install when the library is missing
 */
export async function startKafka(options: KafkaServerOptions): Promise<ManagedServer> {
  const found = findKafkaMock();
  if (found === undefined) throw missingServersError(['kafka']);
  const { topic, partitions = 2 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'hale-kafka-'));
  return startManagedServer({
    name: 'the mock of Kafka',
    folder,
    stopSignal: 'SIGKILL',
    spawn: (port) =>
      startServerProcess({
        file: found.python,
        args: [SCRIPT, found.library, String(port), topic, String(partitions)],
        folder,
      }),
    proveReady: proveAnswer,
    url: (port) => `127.0.0.1:${port}`,
  });
}
