import type { Server } from 'node:http';
import { checkDrains } from '../core/server-timeouts.js';
import { integerOption, objectOption } from '../core/validate.js';
import type { DrainableServer, DrainsOptions } from '../engine/drain-targets.js';
import type { StartupTask } from '../engine/startup-tasks.js';
import { interceptProbes, mountOnHttp } from '../probe/mount-http.js';
import type { MountOptions, MountableHealth } from '../probe/mount.js';

/** What {@link attachHealthToNext} uses of `Health`. */
export interface NextHealth extends MountableHealth {
  drains(server: DrainableServer, options?: DrainsOptions): () => void;
  startupTask(name: string): StartupTask;
}

/** Options of {@link attachHealthToNext}. */
export interface NextOptions extends MountOptions {
  /** The port Next.js listens on. @defaultValue what Next.js itself takes: `PORT`, or 3000 */
  port?: number;
  /** How the server takes part in the drain; `false` leaves it out. @defaultValue {} */
  drains?: DrainsOptions | false;
}

const NEXT_DEFAULT_PORT = 3000;
const MAX_PORT = 65_535;

/**
 * Finds the HTTP server that Next.js creates by itself (`next start`, or `server.js` of `output: 'standalone'`), answers
 * probes on its port before Next.js sees them, and lets it take part in the drain. Start-up waits for it (task `next`).
 * Tells Next.js to leave the signals alone (`NEXT_MANUAL_SIG_HANDLE`), which it heeds only before it listens: call this
 * in a file loaded with `node --import`, or set that variable and call it in `instrumentation.js`; and before
 * `health.start()`. The returned function takes it all back.
 * @throws OptionError on a bad option.
 */
export function attachHealthToNext(health: NextHealth, options: NextOptions = {}): () => void {
  const { port: given, drains = {}, ...mount } = objectOption('attachHealthToNext', options);
  const port = portOf(given);
  checkDrains(drains);
  const answer = mountOnHttp(health, mount);
  process.env['NEXT_MANUAL_SIG_HANDLE'] ??= 'true';
  const { done } = health.startupTask('next');
  const undo: (() => void)[] = [];
  const stop = onServerAt(port, (server) => {
    if (server.listening) done();
    else server.once('listening', done);
    undo.push(() => server.off('listening', done));
    if (drains !== false) undo.push(health.drains(server, drains));
    undo.push(interceptProbes(server, answer));
  });
  return () => {
    stop();
    for (const restore of undo.splice(0)) restore();
  };
}

function portOf(port: number | undefined): number {
  if (port !== undefined)
    return integerOption('attachHealthToNext.port', port, { min: 1, max: MAX_PORT });
  // As server.js of a standalone build decides.
  const given = Number.parseInt(process.env['PORT'] ?? '', 10);
  return Number.isNaN(given) || given === 0 ? NEXT_DEFAULT_PORT : given;
}

const LISTEN = 'tracing:net.server.listen:asyncStart';
const SOCKET = 'net.server.socket';

/**
 * Tells of the HTTP server on a port, once: when it listens already, when it is about to, or, where Node.js does not say
 * so, when it gets a connection. The returned function ends the wait.
 */
function onServerAt(port: number, tell: (server: Server) => void): () => void {
  const { subscribe, unsubscribe } = process.getBuiltinModule('node:diagnostics_channel');
  const stop = (): void => {
    unsubscribe(LISTEN, onListen);
    unsubscribe(SOCKET, onSocket);
  };
  const found = (server: unknown, at: unknown): boolean => {
    if (at !== port || !isHttpServer(server)) return false;
    stop();
    tell(server);
    return true;
  };
  const onListen = (message: unknown): void => {
    const { server, options } = message as ListenMessage;
    // A text, where it comes from the environment.
    found(server, Number(options?.port));
  };
  const onSocket = (message: unknown): void => {
    const { server } = (message as SocketMessage).socket;
    found(server, boundPort(server));
  };
  subscribe(LISTEN, onListen);
  subscribe(SOCKET, onSocket);
  activeHandles().some((handle) => found(handle, boundPort(handle)));
  return stop;
}

interface ListenMessage {
  readonly server: unknown;
  readonly options?: { readonly port?: unknown };
}

interface SocketMessage {
  readonly socket: { readonly server?: unknown };
}

/** What keeps the process alive; nothing that Node.js documents names the servers that listen already. */
function activeHandles(): readonly unknown[] {
  const { _getActiveHandles: list } = process as { _getActiveHandles?: () => unknown[] };
  return list?.call(process) ?? [];
}

function boundPort(server: unknown): unknown {
  if (!isHttpServer(server)) return undefined;
  const address = server.address();
  return typeof address === 'object' ? address?.port : undefined;
}

function isHttpServer(server: unknown): server is Server {
  return typeof (server as Partial<Server> | undefined)?.closeIdleConnections === 'function';
}
