import type { Check, CheckRun } from '../core/check.js';
import { type DriverPool, driverPool, isTurnedAway } from '../core/driver-pool.js';
import { OptionError } from '../core/errors.js';
import { type PoolCheckOptions, createPoolCheck } from '../core/pool-check.js';
import { type PooledQueryOptions, createPooledQuery } from '../core/pooled-query.js';
import { severConnection } from '../core/sever.js';

/** The part of a `DataSource` (typeorm 0.3, 1) that {@link typeormPool} and {@link typeormQuery} use. */
export interface TypeormDataSourceLike {
  readonly isInitialized: boolean;
  /** Where the drivers of TypeORM keep their pool: `master` (PostgreSQL, SQL Server) or `pool` (MySQL). */
  readonly driver: object;
  createQueryRunner(): TypeormQueryRunnerLike;
}

/** The part of a `QueryRunner` that {@link typeormQuery} uses. */
export interface TypeormQueryRunnerLike {
  connect(): Promise<unknown>;
  query(query: string): Promise<unknown>;
  release(): Promise<unknown>;
}

/** Options of {@link typeormPool}. */
export type TypeormPoolOptions = PoolCheckOptions;

/**
 * Reads the counters of the driver's pool below TypeORM (pg, mysql2, mysql, mssql); never takes a connection and sends
 * nothing (C7, C8). With replication it is the pool of the primary.
 *
 * - pass: at most `warnAbove` of the pool is in use.
 * - warn: more is in use; code `pool_busy`. Saturated is not broken.
 * - fail: requests wait and no connection has come back for `noReturnFailMs` (`pool_exhausted`), the queue was over
 *   `maxWaiting` for several samples (`pool_queue_too_long`), the data source is not initialized or has been destroyed
 *   (`not_initialized`), or its driver has no pool that can be read.
 *
 * Suggested impact: `critical`. Cost: five property reads per run, no I/O.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no data source or an option out of range
 */
export function typeormPool(
  dataSource: TypeormDataSourceLike,
  options: TypeormPoolOptions = {},
): Check {
  const pool = poolOf('typeormPool', dataSource);
  const check = createPoolCheck({ ...pool, name: 'typeormPool' }, options);
  return onceInitialized(dataSource, {
    ...check,
    run: (signal) => {
      if (pool.isKnown()) return check.run(signal);
      throw new Error('this driver has no pool that can be read');
    },
  });
}

/** Options of {@link typeormQuery}. */
export type TypeormQueryOptions = PooledQueryOptions;

interface Lent {
  readonly runner: TypeormQueryRunnerLike;
  readonly raw: unknown;
}

/**
 * Makes one real round trip on a connection of the pool of this data source. Give it a data source of its own with
 * `poolSize: 1`, or a check of the driver: through the application's pool it waits behind the application (C7).
 *
 * - pass: the statement was answered.
 * - warn: no connection came back within `poolWaitMs`, others having them all; code `pool_busy`.
 * - fail: that has been so for `noReturnFailMs` (`pool_exhausted`); the data source is not initialized or has been destroyed
 *   (`not_initialized`); connecting or the statement failed; or there was no answer before the timeout.
 *
 * A run that fails or is aborted closes the connection it has; one that comes too late goes back to the pool.
 *
 * Suggested impact: `critical`. Cost: one statement per run, and a connection of the pool for as long.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no data source or an option out of range
 */
export function typeormQuery(
  dataSource: TypeormDataSourceLike,
  options: TypeormQueryOptions = {},
): Check {
  const check = createPooledQuery<Lent>(
    {
      name: 'typeormQuery',
      pool: poolOf('typeormQuery', dataSource),
      acquire: async () => {
        const runner = dataSource.createQueryRunner();
        return { runner, raw: await runner.connect() };
      },
      ask: ({ runner }, query) => runner.query(query),
      giveBack: ({ runner }) => runner.release(),
      discard: ({ runner, raw }) => {
        severConnection(raw);
        return runner.release();
      },
      isTurnedAway,
    },
    options,
  );
  return onceInitialized(dataSource, check);
}

/** TypeORM connects in `initialize()`, which is the application's to call. */
function onceInitialized(dataSource: TypeormDataSourceLike, check: Check): Check {
  const run: CheckRun = (signal) => {
    if (dataSource.isInitialized) return check.run(signal);
    const output = 'the data source is not initialized';
    return { status: 'fail', code: 'not_initialized', output };
  };
  return { ...check, run };
}

/** The pool, whichever the data source has at the moment: each `initialize()` makes a new one. */
function poolOf(
  check: string,
  dataSource: TypeormDataSourceLike,
): DriverPool & { isKnown(): boolean } {
  if (typeof dataSource?.createQueryRunner !== 'function') {
    throw new OptionError(`${check}.dataSource`, 'a DataSource of TypeORM', dataSource);
  }
  let seen: unknown;
  let known: DriverPool | undefined;
  let onReturn: (() => void) | undefined;
  let stop: (() => void) | undefined;
  const find = () => {
    const { master, pool } = dataSource.driver as { master?: unknown; pool?: unknown };
    const now = master ?? pool;
    if (now === seen) return known;
    stop?.();
    seen = now;
    known = driverPool(now);
    stop = onReturn && known?.listen(onReturn);
    return known;
  };
  return {
    isKnown: () => find() !== undefined,
    listen: (listener) => {
      onReturn = listener;
      seen = undefined;
      find();
      return () => {
        stop?.();
        stop = onReturn = undefined;
      };
    },
    read: () => find()?.read(),
  };
}
