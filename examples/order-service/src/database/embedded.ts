import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../log.js';

/** A PostgreSQL of our own in a process of its own, so that it can be killed and frozen. */
export interface EmbeddedDatabase {
  readonly url: string;
  /** Changes with a restart. */
  readonly pid: number;
  /** Starts the process again, on the same port with the same data, if it has ended. */
  revive(): Promise<void>;
  /** Ends the process and removes its data. */
  stop(): Promise<void>;
}

const CHILD = fileURLToPath(new URL('embedded-child.js', import.meta.url));

type ChildMessage = { kind: 'listening'; port: number } | { kind: 'open' };

/** Resolves with the port as soon as the process listens; its database opens some seconds later. */
function spawn(folder: string, port: number, log: Log): Promise<[ChildProcess, number]> {
  // execArgv is emptied so that an inspector of the service is not opened a second time.
  const child = fork(CHILD, [folder, String(port)], { execArgv: [] });
  return new Promise((resolve, reject) => {
    child.on('message', (message: ChildMessage) => {
      if (message.kind === 'listening') resolve([child, message.port]);
      else log.info({ pid: child.pid }, 'embedded database open');
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      log.warn({ pid: child.pid, code, signal }, 'embedded database ended');
      reject(new Error(`the embedded database ended with ${signal ?? `code ${code}`}`));
    });
  });
}

/** A dead process is seen by its port at once, by its exit event only some time later. */
function refusesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('error', () => resolve(true));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Starts the embedded database without waiting until it can answer. */
export async function startEmbeddedDatabase(log: Log): Promise<EmbeddedDatabase> {
  const folder = await mkdtemp(path.join(tmpdir(), 'order-service-'));
  let [child, port] = await spawn(folder, 0, log);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    get pid() {
      return child.pid ?? 0;
    },
    async revive() {
      if (!hasEnded(child)) {
        if (!(await refusesConnections(port))) return;
        await once(child, 'exit');
      }
      [child, port] = await spawn(folder, port, log);
    },
    async stop() {
      child.removeAllListeners('exit');
      if (!hasEnded(child)) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
