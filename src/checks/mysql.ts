import type { Check, CheckOptions } from '../core/check.js';
import { OptionError } from '../core/errors.js';
import { driverPool } from '../core/driver-pool.js';
import { type PoolCheckOptions, createPoolCheck } from '../core/pool-check.js';
import { type ConnectionDriver, createReservedConnection } from '../core/reserved-connection.js';
import { severConnection } from '../core/sever.js';
import { functionOption, textOption } from '../core/validate.js';

/**
 * The part of a `Pool` of mysql2 (3) or mysql (2) that {@link mysqlPool} uses. Neither publishes its counters, so they
 * are read where both keep them, and a pool without them is refused.
 */
export interface MysqlCallbackPoolLike {
  readonly config: { readonly connectionLimit?: number | undefined };
  on(event: 'release' | 'enqueue', listener: () => void): unknown;
  off(event: 'release' | 'enqueue', listener: () => void): unknown;
}

/** A pool of mysql2 or mysql, or the pool of `mysql2/promise`, which wraps one. */
export type MysqlPoolLike = MysqlCallbackPoolLike | { readonly pool: MysqlCallbackPoolLike };

/** Options of {@link mysqlPool}. */
export type MysqlPoolOptions = PoolCheckOptions;

/**
 * Reads the counters of a pool of mysql2 or mysql; never takes a connection and sends nothing (C7, C8). It tells whether
 * requests get connections, not whether the server answers: use {@link mysqlQuery} for that.
 *
 * - pass: at most `warnAbove` of the pool is in use.
 * - warn: more is in use; code `pool_busy`. Saturated is not broken.
 * - fail: requests wait and no connection has come back for `noReturnFailMs` (`pool_exhausted`), the queue was over
 *   `maxWaiting` for several samples (`pool_queue_too_long`), or the pool has been ended (`pool_ended`).
 *
 * Suggested impact: `critical`. Cost: five property reads per run, no I/O.
 * @throws OptionError (`HALE_OPTION_INVALID`) for a pool without counters or an option out of range
 */
export function mysqlPool(pool: MysqlPoolLike, options: MysqlPoolOptions = {}): Check {
  const counted = driverPool(pool);
  if (counted === undefined) {
    throw new OptionError('mysqlPool.pool', 'a pool of mysql2 or mysql', pool);
  }
  return createPoolCheck({ name: 'mysqlPool', ...counted }, options);
}

/** The part of a connection of mysql2 (3) or mysql (2), with callbacks, that {@link mysqlQuery} uses. */
export interface MysqlConnectionLike {
  connect(callback: (error: unknown) => void): unknown;
  query(sql: string, callback: (error: unknown) => void): unknown;
  destroy(): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Options of {@link mysqlQuery}. */
export interface MysqlQueryOptions extends CheckOptions {
  /**
   * The statement of the round trip. Not the protocol's own ping, which a proxy between you and the server answers
   * itself.
   * @defaultValue 'SELECT 1'
   */
  query?: string;
}

/**
 * Makes one real round trip to MySQL or MariaDB on a connection of its own, outside the request pool (C7), kept open
 * between runs. A run that fails or is aborted destroys the connection at once, so it settles promptly even on a dead
 * socket, and the next run opens a new one; nothing is retried inside a run (C5).
 *
 * - pass: the statement was answered.
 * - warn: never.
 * - fail: connecting or the statement failed, or there was no answer before the timeout.
 *
 * Suggested impact: `critical`. Cost: one statement per run, one server connection, and a new connection per run while
 * the server is down.
 * @param connect - creates a fresh connection, such as `() => mysql.createConnection(config)` with `mysql` from
 *   `'mysql2'` (not `'mysql2/promise'`, which shows a connection only once it is open) or from `'mysql'`
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function mysqlQuery(
  connect: () => MysqlConnectionLike,
  options: MysqlQueryOptions = {},
): Check {
  const { query = 'SELECT 1', ...checkOptions } = options;
  functionOption('mysqlQuery.connect', connect);
  textOption('mysqlQuery.query', query);
  const connection = createReservedConnection(mysqlDriver(connect));
  const ask = (client: MysqlConnectionLike) => settled((done) => client.query(query, done));
  return {
    componentType: 'datastore',
    measurement: 'responseTime',
    ...checkOptions,
    run: (signal) => connection.use(ask, signal),
    dispose: () => connection.close(),
  };
}

const mysqlDriver = (
  connect: () => MysqlConnectionLike,
): ConnectionDriver<MysqlConnectionLike> => ({
  create: (onLost) => {
    const client = withCallbacks(connect());
    // Stays attached for good: a late 'error' without a listener would end the process.
    client.on('error', onLost);
    return client;
  },
  connect: (client) => settled((done) => client.connect(done)),
  destroy: severConnection,
});

function memberOf(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[name];
}

function withCallbacks(created: unknown): MysqlConnectionLike {
  // What `connection.promise()` of mysql2 gives wraps the connection with callbacks.
  const found = [memberOf(created, 'connection'), created].find(isConnection);
  if (found !== undefined) return found;
  if (created instanceof Promise) {
    // It would hold a connection that nobody ends.
    created.then((late: unknown) => withCallbacks(late).destroy()).catch(() => {});
  }
  const accepted = "a function that returns a connection of 'mysql2' or 'mysql', with callbacks";
  throw new OptionError('mysqlQuery.connect', accepted, created);
}

function isConnection(value: unknown): value is MysqlConnectionLike {
  const names = ['connect', 'query', 'destroy', 'on'];
  return names.every((name) => typeof memberOf(value, name) === 'function');
}

/** The promise of what calls back once. */
function settled(work: (done: (error: unknown) => void) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    work((error) => {
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}
