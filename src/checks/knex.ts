import type { Check, CheckOptions } from '../core/check.js';
import { driverPool } from '../core/driver-pool.js';
import { OptionError } from '../core/errors.js';
import { quietly } from '../core/loan-desk.js';
import { type PoolCheckOptions, createPoolCheck } from '../core/pool-check.js';
import { type ConnectionDriver, createReservedConnection } from '../core/reserved-connection.js';
import { severConnection } from '../core/sever.js';
import { textOption } from '../core/validate.js';

/** The part of a `Knex` (knex 3) that {@link knexPool} and {@link knexQuery} use. */
export interface KnexLike {
  /** Looked at as a {@link KnexClientLike}; Knex itself has no type for it. */
  readonly client: unknown;
  raw(sql: string): { connection(connection: object): PromiseLike<unknown> };
}

/** What Knex keeps in `client`. */
export interface KnexClientLike {
  /** A pool of tarn, or what you gave to Knex as one. */
  readonly pool?: unknown;
  /** Missing until the pool has called a function given as `connection` for the first time. */
  readonly connectionSettings?: object;
  acquireRawConnection(): Promise<object>;
  destroyRawConnection(connection: object): Promise<unknown>;
}

/** Options of {@link knexPool}. */
export type KnexPoolOptions = PoolCheckOptions;

/**
 * Reads the counters of Knex's pool (tarn); never takes a connection and sends nothing (C7, C8).
 *
 * - pass: at most `warnAbove` of the pool is in use.
 * - warn: more is in use; code `pool_busy`. Saturated is not broken.
 * - fail: requests wait and no connection has come back for `noReturnFailMs` (`pool_exhausted`), the queue was over
 *   `maxWaiting` for several samples (`pool_queue_too_long`), or the pool has been destroyed (`pool_ended`).
 *
 * Suggested impact: `critical`. Cost: five reads per run, no I/O.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no Knex or an option out of range
 */
export function knexPool(knex: KnexLike, options: KnexPoolOptions = {}): Check {
  const client = clientOf('knexPool', knex);
  const pool = client.pool;
  const counters = driverPool(pool);
  if (counters === undefined) {
    throw new OptionError('knexPool.knex', 'a Knex instance with a pool', knex);
  }
  // Knex forgets its pool when it is destroyed, and makes another one when it is initialized again.
  const read = () => (client.pool === pool ? counters.read() : undefined);
  return createPoolCheck({ ...counters, name: 'knexPool', read }, options);
}

/** Options of {@link knexQuery}. */
export interface KnexQueryOptions extends CheckOptions {
  /** The statement of the round trip. @defaultValue 'SELECT 1' */
  query?: string;
}

/** Connections under way that nobody waits for any more; Knex cannot call one off. */
const MAX_CONNECTING = 4;

/**
 * Makes one real round trip on a connection of its own, which Knex opens outside its pool (C7), kept open between runs.
 * A run that fails or is aborted closes that connection at once, and the next run opens a new one.
 *
 * - pass: the statement was answered.
 * - warn: never.
 * - fail: connecting or the statement failed, or there was no answer before the timeout.
 *
 * Knex cannot call off a connection that it is opening; four at most may be under way. Give the driver a timeout for
 * connecting (`connectionTimeoutMillis` of pg), or they stay so for as long as the server says nothing.
 *
 * Suggested impact: `critical`. Cost: one statement per run, one server connection, and a new connection per run while
 * the server is down. `pool.afterCreate` is not called for it, and a function given as `connection` is not either: the check uses
 * what the pool got from it last.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no Knex or an option out of range
 */
export function knexQuery(knex: KnexLike, options: KnexQueryOptions = {}): Check {
  const { query = 'SELECT 1', ...checkOptions } = options;
  const client = clientOf('knexQuery', knex);
  textOption('knexQuery.query', query);
  const connection = createReservedConnection(knexDriver(client));
  const ask = async ({ raw }: Holder) => {
    if (raw !== undefined) await knex.raw(query).connection(raw);
  };
  return {
    componentType: 'datastore',
    measurement: 'responseTime',
    ...checkOptions,
    run: (signal) => connection.use(ask, signal),
    dispose: () => connection.close(),
  };
}

/** A connection that may still be on its way. */
interface Holder {
  raw?: object;
  isClosed: boolean;
}

function knexDriver(client: KnexClientLike): ConnectionDriver<Holder> {
  let connecting = 0;
  const close = (raw: object) => {
    // First, because the polite end waits for a peer that may be dead.
    severConnection(raw);
    quietly(() => client.destroyRawConnection(raw));
  };
  return {
    create: () => ({ isClosed: false }),
    connect: async (holder) => {
      if (connecting >= MAX_CONNECTING) {
        throw new Error(`${connecting} earlier attempts to connect have not ended yet`);
      }
      if (client.connectionSettings === undefined) {
        throw new Error('the pool has not called the connection function yet');
      }
      connecting += 1;
      try {
        const raw = await client.acquireRawConnection();
        if (holder.isClosed) close(raw);
        else holder.raw = raw;
      } finally {
        connecting -= 1;
      }
    },
    destroy: (holder) => {
      holder.isClosed = true;
      if (holder.raw !== undefined) close(holder.raw);
    },
  };
}

function clientOf(check: string, knex: KnexLike): KnexClientLike {
  const client = knex?.client as Partial<KnexClientLike> | null | undefined;
  if (typeof knex?.raw === 'function' && typeof client?.acquireRawConnection === 'function') {
    return client as KnexClientLike;
  }
  throw new OptionError(`${check}.knex`, 'a Knex instance with a connection', knex);
}
