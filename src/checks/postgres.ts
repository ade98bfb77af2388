import type { Check, CheckOptions } from '../core/check.js';
import { OptionError } from '../core/errors.js';
import { type PoolCheckOptions, type PoolSource, createPoolCheck } from '../core/pool-check.js';
import { type ConnectionDriver, createReservedConnection } from '../core/reserved-connection.js';
import { functionOption } from '../core/validate.js';

/** The part of `pg.Pool` (pg 8) that {@link postgresPool} reads. */
export interface PostgresPoolLike {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max?: number | undefined };
  readonly ending?: boolean;
  on?(event: 'release', listener: () => void): unknown;
  off?(event: 'release', listener: () => void): unknown;
}

/** Options of {@link postgresPool}. */
export type PostgresPoolOptions = PoolCheckOptions;

/**
 * Reads the counters of a `pg.Pool`; never takes a connection and sends nothing (C7, C8). It tells
 * whether requests get connections, not whether the server answers: use {@link postgresQuery} for that.
 *
 * - pass: at most `warnAbove` of the pool is in use.
 * - warn: more is in use; code `pool_busy`. Saturated is not broken.
 * - fail: requests wait and no connection has come back for `noReturnFailMs` (`pool_exhausted`, or `pool_stuck`
 *   when a fresh connection works meanwhile, see `stuck`), the queue was over `maxWaiting` for several
 *   samples (`pool_queue_too_long`), or the pool has been ended (`pool_ended`).
 *
 * Suggested impact: `critical`. Cost: five property reads per run, no I/O; with `stuck` one connection per
 * run while the pool is exhausted.
 * @throws OptionError (`HALE_OPTION_INVALID`) for a pool without counters or an option out of range
 */
export function postgresPool(pool: PostgresPoolLike, options: PostgresPoolOptions = {}): Check {
  if (typeof pool?.totalCount !== 'number' || typeof pool.waitingCount !== 'number') {
    throw new OptionError('postgresPool.pool', 'a pg.Pool with totalCount and waitingCount', pool);
  }
  return createPoolCheck(postgresSource(pool), options);
}

function postgresSource(pool: PostgresPoolLike): PoolSource {
  return {
    name: 'postgresPool',
    listen: (onReturn) => {
      if (pool.on === undefined || pool.off === undefined) return undefined;
      pool.on('release', onReturn);
      return () => void pool.off?.('release', onReturn);
    },
    read: () => {
      if (pool.ending === true) return undefined;
      const { totalCount: total, idleCount: idle, waitingCount: waiting } = pool;
      // 10 is what pg itself takes when nothing is configured.
      return { total, idle, waiting, max: pool.options?.max ?? 10 };
    },
  };
}

/** The part of `pg.Client` (pg 8) that {@link postgresQuery} uses. */
export interface PostgresClientLike {
  connect(): Promise<unknown>;
  query(text: string): Promise<unknown>;
  end(): Promise<unknown>;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Where pg keeps its socket; destroying it is the only end that a dead peer cannot delay. */
  readonly connection?: { readonly stream?: { destroy(): unknown } };
}

/** Options of {@link postgresQuery}. */
export interface PostgresQueryOptions extends CheckOptions {
  /** The statement of the round trip. @defaultValue 'SELECT 1' */
  query?: string;
}

/**
 * Makes one real round trip on a connection of its own, outside the request pool (C7), kept open
 * between runs. A run that fails or is aborted destroys the connection at once, so it settles promptly
 * even on a dead socket, and the next run opens a new one; nothing is retried inside a run (C5).
 *
 * - pass: the statement was answered.
 * - warn: never.
 * - fail: connecting or the statement failed, or there was no answer before the timeout.
 *
 * Suggested impact: `critical`. Cost: one statement per run, one server connection, and a new
 * connection per run while the server is down.
 * @param connect - creates a fresh, not yet connected client, such as `() => new pg.Client(config)`
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function postgresQuery(
  connect: () => PostgresClientLike,
  options: PostgresQueryOptions = {},
): Check {
  const { query = 'SELECT 1', ...checkOptions } = options;
  functionOption('postgresQuery.connect', connect);
  if (typeof query !== 'string' || query.trim() === '') {
    throw new OptionError('postgresQuery.query', 'a statement', query);
  }
  const connection = createReservedConnection(postgresDriver(connect));
  return {
    componentType: 'datastore',
    measurement: 'responseTime',
    ...checkOptions,
    run: (signal) => connection.use((client) => client.query(query), signal),
    dispose: () => connection.close(),
  };
}

const postgresDriver = (
  connect: () => PostgresClientLike,
): ConnectionDriver<PostgresClientLike> => ({
  create: (onLost) => {
    const client = connect();
    // Stays attached for good: a late 'error' without a listener would end the process.
    client.on?.('error', onLost);
    return client;
  },
  connect: (client) => client.connect(),
  destroy: (client) => {
    // The socket first: a polite end on a dead peer would wait for the kernel to give up.
    client.connection?.stream?.destroy();
    (async () => client.end())().catch(() => {});
  },
});
