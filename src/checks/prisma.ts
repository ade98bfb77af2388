import type { Check } from '../core/check.js';
import { driverPool, isTurnedAway } from '../core/driver-pool.js';
import { OptionError } from '../core/errors.js';
import { type PooledQueryOptions, createPooledQuery } from '../core/pooled-query.js';

/** The part of a generated `PrismaClient` (Prisma 6, 7; not MongoDB) that {@link prismaQuery} uses. */
export interface PrismaClientLike {
  $queryRawUnsafe(query: string): PromiseLike<unknown>;
}

/** Options of {@link prismaQuery}. */
export interface PrismaQueryOptions extends PooledQueryOptions {
  /**
   * The pool that you gave to the driver adapter, such as the `pg.Pool` of `new PrismaPg(pool)`. Prisma has no way to
   * tell whether a statement waits for a connection or for the server; its counters do.
   */
  pool?: object;
}

/**
 * Makes one real round trip through Prisma. Give it a client of its own whose adapter holds one connection, or a check
 * of the driver: through the application's pool it waits behind the application (C7). For the counters of the pool there
 * is the driver's check: `postgresPool(pool)` with the pool that you gave to the adapter.
 *
 * - pass: the statement was answered.
 * - warn: with `pool`, there was no answer within `poolWaitMs` while statements wait for connections; code `pool_busy`.
 *   Also when Prisma gave up waiting for one (`P2024`).
 * - fail: with `pool`, that has been so for `noReturnFailMs` (`pool_exhausted`); the statement failed; or there was no answer
 *   before the timeout.
 *
 * A statement that was sent cannot be taken back: while one is under way no other is sent, and runs wait for that one.
 * Only the driver can end it: give it a timeout (`query_timeout` and `connectionTimeoutMillis` of pg), or a connection
 * to a peer that has gone holds the check for as long as the kernel keeps it.
 *
 * Suggested impact: `critical`. Cost: one statement per run, and a connection of the adapter for as long.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no client, no pool or an option out of range
 */
export function prismaQuery(prisma: PrismaClientLike, options: PrismaQueryOptions = {}): Check {
  const { pool, ...queryOptions } = options;
  if (typeof prisma?.$queryRawUnsafe !== 'function') {
    throw new OptionError('prismaQuery.prisma', 'a PrismaClient with $queryRawUnsafe()', prisma);
  }
  const counters = driverPool(pool);
  if (pool !== undefined && counters === undefined) {
    throw new OptionError('prismaQuery.pool', 'a pg.Pool or a pool of mysql2', pool);
  }
  const { query = 'SELECT 1' } = queryOptions;
  return createPooledQuery<unknown>(
    {
      name: 'prismaQuery',
      pool: counters,
      // The answer stands for the connection: Prisma lends none.
      acquire: async () => prisma.$queryRawUnsafe(query),
      ask: async () => {},
      giveBack: () => {},
      discard: () => {},
      isTurnedAway: (error) =>
        isTurnedAway(error) || (error as { code?: unknown } | null)?.code === 'P2024',
    },
    queryOptions,
  );
}
