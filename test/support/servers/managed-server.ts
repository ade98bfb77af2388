import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { ConformanceAddress, ConformanceServer } from '../../../src/testing/index.js';
import { connectionsOn } from './connection-count.js';
import {
  type ServerProcess,
  childrenOf,
  descendantsOf,
  findFreePort,
  waitUntilStopped,
} from './server-process.js';

const READY_WITHIN_MS = 20_000;
const POLL_MS = 25;
const START_ATTEMPTS = 5;
/** Where the port is not the reason: a start is at the mercy of the machine, like any test on a real server. */
const OTHER_ATTEMPTS = 2;

/** A real server under the control of a test, also of the conformance kit. */
export interface ManagedServer extends ConformanceServer {
  readonly port: number;
  /** Where clients connect to. */
  readonly address: ConformanceAddress;
  readonly url: string;
  /** Process id of the server now; changes with a restart. */
  readonly pid: number;
  /** The process and its children now. */
  readonly pids: readonly number[];
  /** Ends the server at once, as a crash does for its clients; the data stays for `restart`. */
  stop(): Promise<void>;
  /** Starts a stopped server again on the same port; does nothing while it runs. */
  start(): Promise<void>;
  /** Starts the server again on the same port, stopping it first if it runs. */
  restart(): Promise<void>;
  /** Stops every process of the server with SIGSTOP: sockets stay open, nothing answers. */
  freeze(): void;
  /** Lets a frozen server go on. */
  thaw(): void;
  /** Connections that the server holds; undefined where the system does not tell. */
  connections(): number | undefined;
  /** Stops the server and removes its folder. */
  dispose(): Promise<void>;
}

/** What differs between kinds of server. */
export interface ServerKind {
  name: string;
  folder: string;
  stopSignal: NodeJS.Signals;
  spawn(port: number): Promise<ServerProcess>;
  /** How long a start may take. @defaultValue 20000 */
  readyWithinMs?: number;
  /** Resolves once the server on the port answers for real, otherwise rejects. */
  proveReady(port: number): Promise<void>;
  url(port: number): string;
}

async function waitReady(kind: ServerKind, server: ServerProcess, port: number): Promise<void> {
  const giveUpAt = performance.now() + (kind.readyWithinMs ?? READY_WITHIN_MS);
  let lastError: unknown;
  while (performance.now() < giveUpAt) {
    if (server.hasEnded()) break;
    try {
      return await kind.proveReady(port);
    } catch (error) {
      lastError = error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  await server.end(kind.stopSignal);
  throw new Error(`${kind.name} on port ${port} is not ready:\n${server.output()}`, {
    cause: lastError,
  });
}

async function startOn(kind: ServerKind, port: number): Promise<ServerProcess> {
  const server = await kind.spawn(port);
  await waitReady(kind, server, port);
  return server;
}

function isPortTaken(error: unknown): boolean {
  return (
    error instanceof Error &&
    /address already in use|could not bind|eaddrinuse/i.test(error.message)
  );
}

/** Starts a server of this kind; another free port is tried when someone takes the first one. */
export async function startManagedServer(kind: ServerKind): Promise<ManagedServer> {
  const start = async (choosePort: () => number | Promise<number>) => {
    for (let attempt = 1; ; attempt += 1) {
      const port = await choosePort();
      try {
        return { port, server: await startOn(kind, port) };
      } catch (error) {
        if (attempt >= (isPortTaken(error) ? START_ATTEMPTS : OTHER_ATTEMPTS)) throw error;
        process.stderr.write(`${String(error)}\n`);
      }
    }
  };
  const started = await start(findFreePort).catch(async (error: unknown) => {
    await rm(kind.folder, { recursive: true, force: true });
    throw error;
  });
  const { port } = started;
  let { server } = started;
  const removeFolderNow = () => rmSync(kind.folder, { recursive: true, force: true });
  process.once('exit', removeFolderNow);
  const stop = () => (server.hasEnded() ? Promise.resolve() : server.end(kind.stopSignal));
  const startAgain = async () => {
    if (server.hasEnded()) ({ server } = await start(() => port));
  };
  const address = { host: '127.0.0.1', port };
  return {
    port,
    address,
    addresses: [address],
    url: kind.url(port),
    get pid() {
      return server.pid;
    },
    get pids() {
      return [server.pid, ...childrenOf(server.pid)];
    },
    stop,
    start: startAgain,
    restart: async () => {
      await stop();
      await startAgain();
    },
    connections: () => connectionsOn(port),
    freeze: () => {
      server.signal('SIGSTOP', true);
      waitUntilStopped([server.pid, ...descendantsOf(server.pid)]);
    },
    thaw: () => server.signal('SIGCONT', true),
    dispose: async () => {
      await stop();
      process.removeListener('exit', removeFolderNow);
      await rm(kind.folder, { recursive: true, force: true });
    },
  };
}
