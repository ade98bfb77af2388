import { mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findZookeeper, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

/** The server tells what it is once it serves, and that it does not before. */
function proveAnswer(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let answer = '';
    socket.setTimeout(1_000, () => socket.destroy(new Error('no answer within 1000 ms')));
    socket.once('error', reject);
    socket.once('connect', () => socket.write('srvr'));
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.once('close', () => {
      if (answer.startsWith('Zookeeper version')) resolve();
      else reject(new Error(`unexpected answer ${answer}`));
    });
  });
}

/** Options of {@link startZookeeper}. */
export interface ZookeeperServerOptions {
  /** The longest time-out a session may have. @defaultValue 120000 */
  maxSessionTimeoutMs?: number;
}

/** Sessions as short as 200 ms, which end up to a tick late. */
const TICK_MS = 100;

function configuration(port: number, folder: string, options: ZookeeperServerOptions): string {
  return [
    `tickTime=${TICK_MS}`,
    `dataDir=${join(folder, 'data')}`,
    `clientPort=${port}`,
    'clientPortAddress=127.0.0.1',
    'admin.enableServer=false',
    `minSessionTimeout=${2 * TICK_MS}`,
    `maxSessionTimeout=${options.maxSessionTimeoutMs ?? 120_000}`,
    'maxClientCnxns=0',
  ].join('\n');
}

const JVM = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];
const MAIN = 'org.apache.zookeeper.server.ZooKeeperServerMain';

/**
 * Starts a real ZooKeeper of one server on a free port of 127.0.0.1.
 * @throws Error that names what to install when its program is missing
 */
export async function startZookeeper(options: ZookeeperServerOptions = {}): Promise<ManagedServer> {
  const found = findZookeeper();
  if (found === undefined) throw missingServersError(['zookeeper']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-zookeeper-'));
  const config = join(folder, 'zoo.cfg');
  return startManagedServer({
    name: 'ZooKeeper',
    folder,
    stopSignal: 'SIGKILL',
    readyWithinMs: 60_000,
    async spawn(port) {
      await writeFile(config, configuration(port, folder, options));
      const { java, classPath } = found;
      // What ends here is a process and not a machine: the kernel keeps what was written.
      const settings = ['-Dzookeeper.jmx.log4j.disable=true', '-Dzookeeper.forceSync=no'];
      const args = [...JVM, ...settings, '-cp', classPath, MAIN, config];
      return startServerProcess({ file: java, args, folder });
    },
    proveReady: proveAnswer,
    url: (port) => `127.0.0.1:${port}`,
  });
}
