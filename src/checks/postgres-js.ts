import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Check, CheckOptions } from '../core/check.js';
import { OptionError } from '../core/errors.js';
import { type ConnectionDriver, createReservedConnection } from '../core/reserved-connection.js';
import { functionOption, objectOption, textOption } from '../core/validate.js';

/** The part of postgres.js (`postgres` 3) that {@link postgresJsQuery} uses. */
export interface PostgresJsLike {
  unsafe(query: string): PromiseLike<unknown>;
  end(options: { timeout: number }): Promise<unknown>;
}

/** Options for a `postgres()` of the check's own: pass them on, with yours before them. */
export interface PostgresJsOwnOptions {
  /** One connection is all it uses. */
  readonly max: 1;
  /** Asking for the types of the server would be a second statement for each connection. */
  readonly fetch_types: false;
  /** By default postgres.js prints notices of the server to the console. */
  readonly onnotice: () => void;
  /** Where postgres.js gets its socket from: only who made a socket can end it before a dead peer. */
  readonly socket: (target: PostgresJsTarget) => Promise<Socket>;
}

/** What postgres.js tells of the server. */
export interface PostgresJsTarget {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Path of a Unix socket; false without one. */
  readonly path?: string | false;
  /** What it was told about TLS, which is the business of {@link PostgresJsQueryOptions.tls} here. */
  readonly ssl?: unknown;
}

/** Options of {@link postgresJsQuery}. */
export interface PostgresJsQueryOptions extends CheckOptions {
  /** The statement of the round trip. @defaultValue 'SELECT 1' */
  query?: string;
  /**
   * Speaks TLS with these settings, or with `true` by those of Node.js: the certificate must be trusted and for the host.
   * Instead of `ssl` in `postgres()`, whose sockets nobody can end while they speak TLS.
   * @defaultValue false
   */
  tls?: boolean | ConnectionOptions;
}

/**
 * Makes one real round trip with a `postgres()` of its own (postgres.js), outside the request pool (C7), its connection
 * kept open between runs. A run that fails or is aborted destroys the connection at once, so it settles promptly even on
 * a dead socket, and the next run opens a new one; nothing is retried inside a run (C5).
 *
 * - pass: the statement was answered.
 * - warn: never.
 * - fail: connecting or the statement failed, or there was no answer before the timeout.
 *
 * Suggested impact: `critical`. Cost: one statement per run, one server connection, and a new connection per run while
 * the server is down. Of several hosts each new connection takes the next one.
 * @param connect - creates a fresh instance, such as `(own) => postgres(url, own)`
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function postgresJsQuery(
  connect: (own: PostgresJsOwnOptions) => PostgresJsLike,
  options: PostgresJsQueryOptions = {},
): Check {
  const { query = 'SELECT 1', tls = false, ...checkOptions } = options;
  functionOption('postgresJsQuery.connect', connect);
  textOption('postgresJsQuery.query', query);
  const connection = createReservedConnection(postgresJsDriver(connect, tlsSettings(tls)));
  return {
    componentType: 'datastore',
    measurement: 'responseTime',
    ...checkOptions,
    run: (signal) => connection.use(async ({ sql }) => sql.unsafe(query), signal),
    dispose: () => connection.close(),
  };
}

function tlsSettings(tls: boolean | ConnectionOptions): ConnectionOptions | undefined {
  if (typeof tls === 'boolean') return tls ? {} : undefined;
  return objectOption('postgresJsQuery.tls', tls);
}

interface Instance {
  readonly sql: PostgresJsLike;
  readonly sockets: SocketSource;
}

function postgresJsDriver(
  connect: (own: PostgresJsOwnOptions) => PostgresJsLike,
  tls: ConnectionOptions | undefined,
): ConnectionDriver<Instance> {
  let attempts = 0;
  return {
    create: (onLost) => {
      const sockets = createSocketSource({ tls, nextAttempt: () => attempts++, onLost });
      const sql = connect({ max: 1, fetch_types: false, onnotice: () => {}, socket: sockets.open });
      if (typeof sql?.unsafe === 'function' && typeof sql.end === 'function') {
        return { sql, sockets };
      }
      throw new OptionError('postgresJsQuery.connect', 'a function that returns postgres()', sql);
    },
    // It connects with its first statement.
    connect: async () => {},
    destroy: ({ sql, sockets }) => {
      sockets.close();
      // First, and over in a moment: it would say goodbye on a socket that is destroyed already.
      const ended = (async () => sql.end({ timeout: 0 }))();
      ended.then(sockets.destroy, sockets.destroy);
    },
  };
}

/** Opens the sockets of one instance and ends them. */
interface SocketSource {
  open(target: PostgresJsTarget): Promise<Socket>;
  /** From now on nothing is opened. */
  close(): void;
  /** Destroys what is open or being opened. */
  destroy(): void;
}

interface SocketSourceOptions {
  readonly tls: ConnectionOptions | undefined;
  nextAttempt(): number;
  onLost(): void;
}

function createSocketSource({ tls, nextAttempt, onLost }: SocketSourceOptions): SocketSource {
  const sockets = new Set<Socket>();
  let isOver = false;
  const keep = <S extends Socket>(socket: S, fail: (error: Error) => void): S => {
    sockets.add(socket);
    // Stays attached for good: a late 'error' without a listener would end the process.
    socket.on('error', fail);
    socket.once('close', () => {
      sockets.delete(socket);
      fail(new Error('the connection was closed'));
      onLost();
    });
    return socket;
  };
  return {
    open: (target) =>
      new Promise((resolve, reject) => {
        refuseOwnTls(target);
        // It would connect again for a statement that was not sent yet.
        if (isOver) throw new Error('the connection of this check was closed');
        const address = addressOf(target, nextAttempt());
        const socket = keep(process.getBuiltinModule('node:net').connect(address), reject);
        socket.once('connect', () => {
          if (tls === undefined) return resolve(socket);
          socket.write(TLS_REQUEST);
          socket.once('data', (answer) => {
            if (answer.toString() !== 'S') return reject(new Error('the server speaks no TLS'));
            const secure = keep(secured(socket, address, tls), reject);
            secure.once('secureConnect', () => resolve(secure));
          });
        });
      }),
    close: () => {
      isOver = true;
    },
    destroy: () => {
      // What speaks TLS before what carries it.
      for (const socket of [...sockets].toReversed()) socket.destroy();
    },
  };
}

/** The message SSLRequest of PostgreSQL's protocol; the answer is one byte. */
const TLS_REQUEST = new Uint8Array([0, 0, 0, 8, 4, 210, 22, 47]);

function secured(socket: Socket, address: Address, settings: ConnectionOptions): Socket {
  const { isIP } = process.getBuiltinModule('node:net');
  const host = 'host' in address ? address.host : 'localhost';
  // SNI carries names only.
  const name = isIP(host) === 0 ? { servername: host } : {};
  return process.getBuiltinModule('node:tls').connect({ host, ...name, ...settings, socket });
}

function refuseOwnTls({ ssl }: PostgresJsTarget): void {
  if (ssl === undefined || ssl === false || ssl === 'disable') return;
  throw new Error('set ssl: false in postgres(), and tls in the options of postgresJsQuery');
}

type Address = { readonly path: string } | { readonly host: string; readonly port: number };

function addressOf({ host, port, path }: PostgresJsTarget, attempt: number): Address {
  if (typeof path === 'string' && path !== '') return { path };
  const at = attempt % Math.max(1, host.length);
  return { host: host[at] ?? 'localhost', port: port[at] ?? 5432 };
}
