import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import type { Clock } from '../core/clock.js';
import { HaleError, OptionError } from '../core/errors.js';
import {
  type PoolFinding,
  type PoolLimits,
  type PoolSample,
  initialPoolState,
  judgePool,
} from '../core/pool-rule.js';
import { type ConnectionDriver, createReservedConnection } from '../core/reserved-connection.js';
import { durationOption, functionOption, integerOption, numberOption } from '../core/validate.js';

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
export interface PostgresPoolOptions extends CheckOptions {
  /** Share of the pool in use above which the check warns. @defaultValue 0.85 */
  warnAbove?: number;
  /**
   * Fails when requests wait and no connection has come back for this long, in milliseconds.
   * @defaultValue 30000
   */
  noReturnFailMs?: number;
  /**
   * Fails when more requests than this wait for several samples. Off by default: how long a queue may
   * be depends on the service, and leaving rotation under load moves the load to the neighbours.
   * @defaultValue Infinity
   */
  maxWaiting?: number;
  /** Consecutive samples over `maxWaiting` that fail. @defaultValue 3 */
  maxWaitingSamples?: number;
}

/**
 * Reads the counters of a `pg.Pool`; never takes a connection and sends nothing (C7, C8). It tells
 * whether requests get connections, not whether the server answers: use {@link postgresQuery} for that.
 *
 * - pass: at most `warnAbove` of the pool is in use.
 * - warn: more is in use; code `pool_busy`. Saturated is not broken.
 * - fail: requests wait and no connection has come back for `noReturnFailMs` (`pool_stuck`), the queue
 *   was over `maxWaiting` for several samples (`pool_queue_too_long`), or the pool has been ended
 *   (`pool_ended`).
 *
 * Suggested impact: `critical`. Cost: five property reads per run, no I/O.
 * @throws OptionError (`HALE_OPTION_INVALID`) for a pool without counters or an option out of range
 */
export function postgresPool(pool: PostgresPoolLike, options: PostgresPoolOptions = {}): Check {
  const { warnAbove = 0.85, noReturnFailMs = 30_000, ...rest } = options;
  const { maxWaiting = Infinity, maxWaitingSamples = 3, ...checkOptions } = rest;
  const limits = checkLimits({ warnAbove, noReturnFailMs, maxWaiting, maxWaitingSamples });
  if (typeof pool?.totalCount !== 'number' || typeof pool.waitingCount !== 'number') {
    throw new OptionError('postgresPool.pool', 'a pg.Pool with totalCount and waitingCount', pool);
  }
  let clock: Clock | undefined;
  let lastReturnAt: number | undefined;
  let state = initialPoolState;
  const onRelease = () => {
    lastReturnAt = clock?.now();
  };
  return {
    componentType: 'datastore',
    measurement: 'connections',
    ...checkOptions,
    start: (context) => {
      if (clock !== undefined) return;
      clock = context.clock;
      if (pool.on === undefined || pool.off === undefined) return;
      lastReturnAt = clock.now();
      pool.on('release', onRelease);
    },
    dispose: () => {
      pool.off?.('release', onRelease);
      // Added again, it listens again, and a queue of before is no evidence.
      clock = undefined;
      lastReturnAt = undefined;
      state = initialPoolState;
    },
    run: () => {
      if (clock === undefined) {
        throw new HaleError('HALE_STATE', 'postgresPool runs only after its start()');
      }
      if (pool.ending === true) return { status: 'fail', code: 'pool_ended', output: 'pool ended' };
      const sample = samplePool(pool, lastReturnAt);
      const judged = judgePool(state, sample, clock.now(), limits);
      state = judged.state;
      return poolResult(judged.finding, sample, pool);
    },
  };
}

function checkLimits(limits: PoolLimits): PoolLimits {
  const path = (name: string) => `postgresPool.${name}`;
  numberOption(path('warnAbove'), limits.warnAbove, { min: 0, max: 1 });
  durationOption(path('noReturnFailMs'), limits.noReturnFailMs);
  if (limits.maxWaiting !== Infinity) {
    integerOption(path('maxWaiting'), limits.maxWaiting, { min: 1 });
  }
  integerOption(path('maxWaitingSamples'), limits.maxWaitingSamples, { min: 1 });
  return limits;
}

function samplePool(pool: PostgresPoolLike, lastReturnAt: number | undefined): PoolSample {
  return {
    used: pool.totalCount - pool.idleCount,
    // 10 is what pg itself takes when nothing is configured.
    max: pool.options?.max ?? 10,
    waiting: pool.waitingCount,
    lastReturnAt,
  };
}

function poolResult(finding: PoolFinding, sample: PoolSample, pool: PostgresPoolLike): CheckResult {
  const { used, max, waiting } = sample;
  const observed = {
    observedValue: { used, total: pool.totalCount, idle: pool.idleCount, waiting, max },
    observedUnit: 'connections',
  };
  const load = `${used} of ${max} connections in use, ${waiting} waiting`;
  switch (finding.kind) {
    case 'ok':
      return { status: 'pass', ...observed };
    case 'busy':
      return { status: 'warn', code: 'pool_busy', output: load, ...observed };
    case 'stuck': {
      const output = `no connection came back for ${Math.round(finding.stuckMs)} ms: ${load}`;
      return { status: 'fail', code: 'pool_stuck', output, ...observed };
    }
    case 'queue_too_long': {
      const output = `queue over its ceiling for ${finding.samples} samples: ${load}`;
      return { status: 'fail', code: 'pool_queue_too_long', output, ...observed };
    }
  }
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
