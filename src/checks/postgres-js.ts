import type { Socket } from 'node:net';
import type { Check, CheckOptions } from '../core/check.js';
import { OptionError } from '../core/errors.js';
import { type ConnectionDriver, createReservedConnection } from '../core/reserved-connection.js';
import { functionOption, textOption } from '../core/validate.js';

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
}

/** Options of {@link postgresJsQuery}. */
export interface PostgresJsQueryOptions extends CheckOptions {
  /** The statement of the round trip. @defaultValue 'SELECT 1' */
  query?: string;
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
 * @param connect - creates a fresh instance, such as `(own) => postgres(url, { ssl: 'require', ...own })`
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function postgresJsQuery(
  connect: (own: PostgresJsOwnOptions) => PostgresJsLike,
  options: PostgresJsQueryOptions = {},
): Check {
  const { query = 'SELECT 1', ...checkOptions } = options;
  functionOption('postgresJsQuery.connect', connect);
  textOption('postgresJsQuery.query', query);
  const connection = createReservedConnection(postgresJsDriver(connect));
  return {
    componentType: 'datastore',
    measurement: 'responseTime',
    ...checkOptions,
    run: (signal) => connection.use(async ({ sql }) => sql.unsafe(query), signal),
    dispose: () => connection.close(),
  };
}

interface Instance {
  readonly sql: PostgresJsLike;
  readonly sockets: SocketSource;
}

function postgresJsDriver(
  connect: (own: PostgresJsOwnOptions) => PostgresJsLike,
): ConnectionDriver<Instance> {
  let attempts = 0;
  return {
    create: (onLost) => {
      const sockets = createSocketSource(() => attempts++, onLost);
      const sql = connect({ max: 1, fetch_types: false, onnotice: () => {}, socket: sockets.open });
      if (typeof sql?.unsafe === 'function' && typeof sql.end === 'function') {
        return { sql, sockets };
      }
      throw new OptionError('postgresJsQuery.connect', 'a function that returns postgres()', sql);
    },
    // It connects with its first statement.
    connect: async () => {},
    destroy: ({ sql, sockets }) => {
      sockets.destroy();
      (async () => sql.end({ timeout: 0 }))().catch(() => {});
    },
  };
}

/** Opens the sockets of one instance and ends them. */
interface SocketSource {
  open(target: PostgresJsTarget): Promise<Socket>;
  /** Destroys what is open or being opened; nothing is opened any more. */
  destroy(): void;
}

function createSocketSource(nextAttempt: () => number, onLost: () => void): SocketSource {
  const sockets = new Set<Socket>();
  let isOver = false;
  return {
    open: (target) =>
      new Promise((resolve, reject) => {
        // It would connect again for a statement that was not sent yet.
        if (isOver) throw new Error('the connection of this check was closed');
        const { connect } = process.getBuiltinModule('node:net');
        const socket = connect(addressOf(target, nextAttempt()));
        sockets.add(socket);
        // Stays attached for good: a late 'error' without a listener would end the process.
        socket.on('error', reject);
        socket.once('connect', () => resolve(socket));
        socket.once('close', () => {
          sockets.delete(socket);
          reject(new Error('the connection was closed'));
          onLost();
        });
      }),
    destroy: () => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function addressOf({ host, port, path }: PostgresJsTarget, attempt: number) {
  if (typeof path === 'string' && path !== '') return { path };
  const at = attempt % Math.max(1, host.length);
  return { host: host[at] ?? 'localhost', port: port[at] ?? 5432 };
}
