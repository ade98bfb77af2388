import { errorText } from './error-text.js';
import type { PoolCounters, PoolSource } from './pool-check.js';

/** A driver's pool without the name of a check. */
export type DriverPool = Omit<PoolSource, 'name'>;

interface Events {
  on?(event: string, listener: () => void): unknown;
  off?(event: string, listener: () => void): unknown;
  removeListener?(event: string, listener: () => void): unknown;
}

interface PgPool extends Events {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options?: { readonly max?: number };
  readonly ending?: boolean;
}

interface MysqlPool extends Events {
  readonly _allConnections: { readonly length: number };
  readonly _freeConnections: { readonly length: number };
  readonly _connectionQueue: { readonly length: number };
  readonly _closed?: boolean;
  readonly config?: { readonly connectionLimit?: number };
}

interface TarnPool extends Events {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
  numPendingCreates(): number;
  readonly max?: number;
  readonly destroyed?: boolean;
}

/**
 * Reads the pool that a library above the driver uses: `pg.Pool`, a pool of mysql2 or mysql, or one of tarn (Knex,
 * mssql), also when it is wrapped in an object with a property `pool`. Undefined for anything else.
 */
export function driverPool(pool: unknown): DriverPool | undefined {
  if (typeof pool !== 'object' || pool === null) return undefined;
  if (isPgPool(pool)) return pgPool(pool);
  if (isMysqlPool(pool)) return mysqlPool(pool);
  if (isTarnPool(pool)) return tarnPool(pool);
  const inner = (pool as { pool?: unknown }).pool;
  return inner === pool ? undefined : driverPool(inner);
}

const isPgPool = (pool: object): pool is PgPool => 'totalCount' in pool && 'waitingCount' in pool;

const isMysqlPool = (pool: object): pool is MysqlPool =>
  '_allConnections' in pool && '_freeConnections' in pool && '_connectionQueue' in pool;

const isTarnPool = (pool: object): pool is TarnPool =>
  'numUsed' in pool && 'numFree' in pool && 'numPendingAcquires' in pool;

function pgPool(pool: PgPool): DriverPool {
  return {
    listen: (onReturn) => listenFor(pool, 'release', onReturn),
    read: () => {
      if (pool.ending === true) return undefined;
      const { totalCount: total, idleCount: idle, waitingCount: waiting } = pool;
      // 10 is what pg itself takes when nothing is configured.
      return { total, idle, waiting, max: pool.options?.max ?? 10 };
    },
  };
}

function mysqlPool(pool: MysqlPool): DriverPool {
  let queued = 0;
  let served = 0;
  let tell = () => {};
  return {
    // A connection that goes straight to the next in the queue is not told of: what has joined and left the queue is.
    listen: (onReturn) => {
      tell = onReturn;
      queued = pool._connectionQueue.length;
      served = 0;
      const stopQueue = listenFor(pool, 'enqueue', () => void (queued += 1));
      const stopRelease = listenFor(pool, 'release', onReturn);
      if (stopQueue === undefined || stopRelease === undefined) return undefined;
      return () => {
        tell = () => {};
        stopQueue();
        stopRelease();
      };
    },
    read: () => {
      if (pool._closed === true) return undefined;
      const waiting = pool._connectionQueue.length;
      if (queued - waiting > served) tell();
      served = queued - waiting;
      const max = pool.config?.connectionLimit ?? 10;
      return {
        total: pool._allConnections.length,
        idle: pool._freeConnections.length,
        waiting,
        // 0 is no limit.
        max: max === 0 ? Infinity : max,
      };
    },
  };
}

function tarnPool(pool: TarnPool): DriverPool {
  return {
    listen: (onReturn) => listenFor(pool, 'release', onReturn),
    read: (): PoolCounters | undefined => {
      if (pool.destroyed === true) return undefined;
      const [idle, opening] = [pool.numFree(), pool.numPendingCreates()];
      // Whoever a connection is being opened for counts as pending, too.
      const waiting = Math.max(0, pool.numPendingAcquires() - opening);
      return { total: pool.numUsed() + idle + opening, idle, waiting, max: pool.max ?? 10 };
    },
  };
}

// What pg-pool and mysql2 say; connecting in vain has other words.
const TURNED_AWAY = /timeout exceeded when trying to connect|Queue limit reached/;

/** Whether a pool has given no connection because others have them all, which is no word of the server. */
export function isTurnedAway(error: unknown): boolean {
  return TURNED_AWAY.test(errorText(error));
}

function listenFor(emitter: Events, event: string, listener: () => void): (() => void) | undefined {
  if (emitter.on === undefined) return undefined;
  emitter.on(event, listener);
  return () => void (emitter.off ?? emitter.removeListener)?.call(emitter, event, listener);
}
