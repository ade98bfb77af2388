import type { Check } from '../core/check.js';
import { driverPool, isTurnedAway } from '../core/driver-pool.js';
import { OptionError } from '../core/errors.js';
import {
  type PooledClient,
  type PooledQueryOptions,
  createPooledQuery,
} from '../core/pooled-query.js';
import { severConnection } from '../core/sever.js';

/**
 * The part of a Drizzle database for PostgreSQL or MySQL (drizzle-orm 0.4x) that {@link drizzleQuery} uses. One for
 * SQLite has no `execute`: use `sqliteQuery(db.$client)` from `hale/checks/sqlite`.
 */
export interface DrizzleLike {
  execute(query: string): PromiseLike<unknown>;
  /** The client that Drizzle was given. */
  readonly $client?: unknown;
}

/** Options of {@link drizzleQuery}. */
export type DrizzleQueryOptions = PooledQueryOptions;

interface PgPoolLike {
  connect(): Promise<PgPoolClientLike>;
}

interface PgPoolClientLike {
  query(text: string): Promise<unknown>;
  release(destroy?: boolean): unknown;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
}

interface MysqlPoolLike {
  getConnection(): Promise<MysqlConnectionLike>;
}

interface MysqlConnectionLike {
  query(sql: string): Promise<unknown>;
  release(): unknown;
}

/**
 * Makes one real round trip on a connection of the pool that Drizzle was given (`pg.Pool`, a pool of mysql2), or through
 * `execute` where it was given something else. Give it a database of its own over a pool of one connection, or use the
 * check of the driver: through the application's pool it waits behind the application (C7). For the counters of the pool
 * there is the driver's check: `postgresPool(db.$client)`.
 *
 * - pass: the statement was answered.
 * - warn: no connection came back within `poolWaitMs`, others having them all; code `pool_busy`.
 * - fail: that has been so for `noReturnFailMs` (`pool_exhausted`); connecting or the statement failed; or there was no
 *   answer before the timeout.
 *
 * A run that fails or is aborted closes the connection it has; one that comes too late goes back to the pool. Through
 * `execute` nothing can be taken back: while one statement is under way no other is sent.
 *
 * Suggested impact: `critical`. Cost: one statement per run, and a connection of the pool for as long.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no database or an option out of range
 */
export function drizzleQuery(db: DrizzleLike, options: DrizzleQueryOptions = {}): Check {
  if (typeof db?.execute !== 'function') {
    throw new OptionError('drizzleQuery.db', 'a Drizzle database with execute()', db);
  }
  const client = db.$client;
  const pool = driverPool(client);
  if (pool !== undefined && has(client, 'totalCount', 'connect')) {
    return createPooledQuery({ ...pgClient(client as PgPoolLike), pool }, options);
  }
  if (pool !== undefined && has(client, 'getConnection')) {
    return createPooledQuery({ ...mysqlClient(promised(client)), pool }, options);
  }
  return createPooledQuery(executingClient(db, options), options);
}

function has(client: unknown, ...keys: readonly string[]): boolean {
  return typeof client === 'object' && client !== null && keys.every((key) => key in client);
}

/** Drizzle takes the pool of mysql2 with callbacks, too. */
function promised(pool: unknown): MysqlPoolLike {
  const { promise } = pool as { promise?: () => MysqlPoolLike };
  return promise === undefined ? (pool as MysqlPoolLike) : promise.call(pool);
}

const ignore = () => {};

function pgClient(pool: PgPoolLike): PooledClient<PgPoolClientLike> {
  return {
    name: 'drizzleQuery',
    acquire: async () => {
      const connection = await pool.connect();
      // Without a listener the error of a connection that is lent out would end the process.
      connection.on('error', ignore);
      return connection;
    },
    ask: (connection, query) => connection.query(query),
    giveBack: (connection) => {
      connection.off('error', ignore);
      connection.release();
    },
    discard: (connection) => connection.release(true),
    isTurnedAway,
  };
}

function mysqlClient(pool: MysqlPoolLike): PooledClient<MysqlConnectionLike> {
  return {
    name: 'drizzleQuery',
    acquire: () => pool.getConnection(),
    ask: (connection, query) => connection.query(query),
    giveBack: (connection) => connection.release(),
    discard: (connection) => severConnection(connection),
    isTurnedAway,
  };
}

function executingClient(db: DrizzleLike, options: DrizzleQueryOptions): PooledClient<unknown> {
  const { query = 'SELECT 1' } = options;
  return {
    name: 'drizzleQuery',
    // The answer stands for the connection: Drizzle lends none.
    acquire: async () => db.execute(query),
    ask: async () => {},
    giveBack: ignore,
    discard: ignore,
  };
}
