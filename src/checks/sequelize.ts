import type { Check } from '../core/check.js';
import type { DriverPool } from '../core/driver-pool.js';
import { OptionError } from '../core/errors.js';
import { type PoolCheckOptions, createPoolCheck } from '../core/pool-check.js';
import { type PooledQueryOptions, createPooledQuery } from '../core/pooled-query.js';
import { severConnection } from '../core/sever.js';

/** The part of a `Sequelize` (sequelize 6) that {@link sequelizePool} and {@link sequelizeQuery} use. */
export interface SequelizeLike {
  readonly connectionManager: SequelizeConnectionsLike;
  query(sql: string, options: SequelizeQueryRequest): Promise<unknown>;
  addHook(hook: 'afterPoolAcquire', name: string, listener: () => void): unknown;
  removeHook(hook: 'afterPoolAcquire', name: string): unknown;
}

/** Sequelize's `connectionManager`; its pool (sequelize-pool) has no type there. */
export interface SequelizeConnectionsLike {
  getConnection(options: { type: 'read' | 'write'; useMaster?: boolean }): Promise<object>;
  releaseConnection(connection: object): unknown;
  destroyConnection(connection: object): Promise<unknown>;
}

/** What `query` is asked for besides the statement. */
export interface SequelizeQueryRequest {
  transaction?: object | null;
  logging?: unknown;
  retry?: { max?: number };
}

interface SequelizePoolLike {
  readonly size: number;
  readonly available: number;
  readonly using: number;
  readonly waiting: number;
  readonly maxSize: number;
  readonly _draining?: boolean;
}

/** Options of {@link sequelizePool}. */
export type SequelizePoolOptions = PoolCheckOptions;

/**
 * Reads the counters of Sequelize's pool (sequelize-pool); never takes a connection and sends nothing (C7, C8). With
 * replication it is the pool for writing.
 *
 * - pass: at most `warnAbove` of the pool is in use.
 * - warn: more is in use; code `pool_busy`. Saturated is not broken.
 * - fail: requests wait and no connection has come back for `noReturnFailMs` (`pool_exhausted`), the queue was over
 *   `maxWaiting` for several samples (`pool_queue_too_long`), or `close()` was called (`pool_ended`).
 *
 * Suggested impact: `critical`. Cost: six property reads per run, no I/O, and a hook `afterPoolAcquire`.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no Sequelize or an option out of range
 */
export function sequelizePool(sequelize: SequelizeLike, options: SequelizePoolOptions = {}): Check {
  return createPoolCheck({ ...poolOf('sequelizePool', sequelize), name: 'sequelizePool' }, options);
}

/** Options of {@link sequelizeQuery}. */
export type SequelizeQueryOptions = PooledQueryOptions;

/**
 * Makes one real round trip on a connection of the pool of this Sequelize. Give it an instance of its own with
 * `pool: { max: 1 }`, or a check of the driver: through the application's pool it waits behind the application (C7).
 *
 * - pass: the statement was answered.
 * - warn: no connection came back within `poolWaitMs`, others having them all; code `pool_busy`.
 * - fail: that has been so for `noReturnFailMs` (`pool_exhausted`); connecting or the statement failed; or there was no
 *   answer before the timeout.
 *
 * A run that fails or is aborted closes the connection it has; one that comes too late goes back to the pool.
 *
 * Suggested impact: `critical`. Cost: one statement per run, and a connection of the pool for as long.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no Sequelize or an option out of range
 */
export function sequelizeQuery(
  sequelize: SequelizeLike,
  options: SequelizeQueryOptions = {},
): Check {
  const pool = poolOf('sequelizeQuery', sequelize);
  const { connectionManager: connections } = sequelize;
  return createPooledQuery<object>(
    {
      name: 'sequelizeQuery',
      pool,
      acquire: () => connections.getConnection({ type: 'write', useMaster: true }),
      // How Sequelize itself sends a statement on a connection that it has.
      ask: (connection, query) =>
        sequelize.query(query, { transaction: { connection }, logging: false, retry: { max: 1 } }),
      giveBack: (connection) => connections.releaseConnection(connection),
      discard: (connection) => {
        severConnection(connection);
        return connections.destroyConnection(connection);
      },
      isTurnedAway: (error) =>
        error instanceof Error && error.name === 'SequelizeConnectionAcquireTimeoutError',
    },
    options,
  );
}

let hooks = 0;

function poolOf(check: string, sequelize: SequelizeLike): DriverPool {
  const find = () => {
    const { pool } = sequelize.connectionManager as { pool?: Partial<SequelizePoolLike> };
    return (pool as { write?: Partial<SequelizePoolLike> } | undefined)?.write ?? pool;
  };
  if (typeof sequelize?.query !== 'function' || typeof find()?.using !== 'number') {
    throw new OptionError(`${check}.sequelize`, 'a Sequelize instance', sequelize);
  }
  return {
    // The pool tells of nothing; a connection that is lent out has come back before, or is new.
    listen: (onReturn) => {
      const name = `hale ${(hooks += 1)}`;
      sequelize.addHook('afterPoolAcquire', name, onReturn);
      return () => void sequelize.removeHook('afterPoolAcquire', name);
    },
    read: () => {
      const pool = find() as SequelizePoolLike;
      if (pool._draining === true) return undefined;
      const { size: total, available: idle, maxSize: max } = pool;
      // Whoever a connection is being opened for counts as waiting, too.
      const waiting = Math.max(0, pool.waiting - (total - idle - pool.using));
      return { total, idle, waiting, max };
    },
  };
}
