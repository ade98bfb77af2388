import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import type { Clock } from '../core/clock.js';
import { errorText } from '../core/error-text.js';
import { HaleError, OptionError } from '../core/errors.js';
import {
  type PoolCheckOptions,
  type PoolCounters,
  type PoolSource,
  createPoolCheck,
} from '../core/pool-check.js';
import { createRoundTrip } from '../core/round-trip.js';
import { durationOption } from '../core/validate.js';

/** The part of a `MongoClient` of mongodb (5, 6, 7) that {@link mongodbPing} uses. */
export interface MongoClientLike {
  db(name: string): {
    command(
      command: { readonly [name: string]: unknown },
      options: { readonly readPreference: 'primaryPreferred'; readonly signal: AbortSignal },
    ): Promise<unknown>;
  };
  readonly options?: { readonly directConnection?: boolean };
}

/** The part of a `MongoClient` of mongodb (5, 6, 7) that {@link mongodbPool} uses; it keeps its counters to itself. */
export interface MongoPoolsLike {
  on(event: 'connectionCheckedIn', listener: (event: CheckedIn) => void): unknown;
  off(event: 'connectionCheckedIn', listener: (event: CheckedIn) => void): unknown;
}

interface CheckedIn {
  /** Whose connection came back. */
  readonly address: string;
}

/** The part of a `Connection` of mongoose (7, 8, 9), such as `mongoose.connection`, that {@link mongoosePing} uses. */
export interface MongooseConnectionLike {
  getClient(): MongoClientLike;
}

/** Options of {@link mongodbPing} and {@link mongoosePing}. */
export interface MongodbPingOptions extends CheckOptions {
  /**
   * Fails when a replica set has had no primary for this long, in milliseconds; until then it warns, because an election
   * takes some ten seconds and the driver holds writes back meanwhile, up to its `serverSelectionTimeoutMS`. 0 fails at
   * once, Infinity never.
   * @defaultValue 30000
   */
  noPrimaryFailMs?: number;
}

/**
 * Sends the command `ping` through the application's client, to the primary or, without one, to any member, and asks
 * that server with `hello` about its replica set. Never looks at `readyState` or at what the driver remembers.
 *
 * - pass: the server answered and, in a replica set, is its primary; a client with `directConnection` wants none.
 * - warn: there is no primary, or it cannot be reached; code `no_primary`.
 * - fail: that has been so for `noPrimaryFailMs` (`no_primary`); the client was closed or its first attempt to connect
 *   failed, after which it answers nothing until `connect()` is called again (`client_closed`); the command failed; or
 *   there was no answer before the timeout.
 *
 * Suggested impact: `critical`. Cost: two commands per run on a connection of the client's pool; while one is unanswered
 * no other is sent.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no client or an option out of range
 */
export function mongodbPing(client: MongoClientLike, options: MongodbPingOptions = {}): Check {
  if (typeof client?.db !== 'function') {
    throw new OptionError('mongodbPing.client', 'a MongoClient with db()', client);
  }
  return createPing('mongodbPing', () => client, options);
}

/**
 * What {@link mongodbPing} does, with the client that a mongoose connection uses: past mongoose's own queue, which holds
 * what is asked before there is a connection.
 *
 * - pass, warn, fail: as there; also fail while the connection was never told where to connect to (`not_connected`).
 *
 * Suggested impact: `critical`. Cost: two commands per run on a connection of the client's pool.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no connection or an option out of range
 */
export function mongoosePing(
  connection: MongooseConnectionLike,
  options: MongodbPingOptions = {},
): Check {
  if (typeof connection?.getClient !== 'function') {
    throw new OptionError('mongoosePing.connection', 'a Connection of mongoose', connection);
  }
  // Typed as if it were always there; it is not before the first connect().
  return createPing('mongoosePing', () => connection.getClient(), options);
}

const NOT_CONNECTED: CheckResult = {
  status: 'fail',
  code: 'not_connected',
  output: 'mongoose was not told to connect',
};

/** Of a client that was closed, or whose first attempt to connect has failed: neither comes back by itself. */
const CLOSED_ERRORS: readonly unknown[] = ['MongoTopologyClosedError', 'MongoNotConnectedError'];

const heard = (hello: Hello) => ({ kind: 'heard', hello }) as const;

function closed(error: unknown) {
  const { name } = (error ?? {}) as { readonly name?: unknown };
  if (!CLOSED_ERRORS.includes(name)) throw error;
  const result: CheckResult = { status: 'fail', code: 'client_closed', output: errorText(error) };
  return { kind: 'closed', result } as const;
}

function createPing(
  name: string,
  current: () => MongoClientLike | null | undefined,
  options: MongodbPingOptions,
): Check {
  const { noPrimaryFailMs = 30_000, ...checkOptions } = options;
  if (noPrimaryFailMs !== Infinity) durationOption(`${name}.noPrimaryFailMs`, noPrimaryFailMs, 0);
  const roundTrip = createRoundTrip(pingAndHello);
  let clock: Clock | undefined;
  let withoutSince: number | undefined;
  return {
    componentType: 'datastore',
    measurement: 'responseTime',
    ...checkOptions,
    start: (context) => {
      clock = context.clock;
    },
    dispose: () => {
      withoutSince = undefined;
    },
    run: async (signal) => {
      if (clock === undefined) throw new HaleError('HALE_STATE', `${name} runs only after start()`);
      const client = current();
      if (client === null || client === undefined) return NOT_CONNECTED;
      const noAnswer = () => new Error('no answer to ping', { cause: signal.reason });
      const answer = await roundTrip(client, signal, noAnswer).then(heard, closed);
      if (answer.kind === 'closed') return answer.result;
      const missing = missingPrimary(answer.hello, client);
      if (missing === undefined) {
        withoutSince = undefined;
        return undefined;
      }
      withoutSince ??= clock.now();
      const failed = clock.now() - withoutSince >= noPrimaryFailMs;
      return { status: failed ? 'fail' : 'warn', code: 'no_primary', output: missing };
    },
  };
}

/** What a server says about itself; nothing of it is certain. */
interface Hello {
  readonly setName?: unknown;
  readonly isWritablePrimary?: unknown;
  readonly primary?: unknown;
}

/** The code of an error for a command that the server does not know, as `hello` before 4.4.2. */
const COMMAND_NOT_FOUND = 59;

async function pingAndHello(client: MongoClientLike, signal: AbortSignal): Promise<Hello> {
  const admin = client.db('admin');
  // By name, or the driver would wait for a primary. Drivers before 6.13 know no signal.
  const options = { readPreference: 'primaryPreferred', signal } as const;
  await admin.command({ ping: 1 }, options);
  try {
    return (await admin.command({ hello: 1 }, options)) as Hello;
  } catch (error) {
    if ((error as { code?: unknown } | undefined)?.code === COMMAND_NOT_FOUND) return {};
    throw error;
  }
}

/** What to say when the client has reached a member of a replica set that is not its primary. */
function missingPrimary(hello: Hello, client: MongoClientLike): string | undefined {
  const { setName, isWritablePrimary, primary } = hello;
  if (typeof setName !== 'string' || isWritablePrimary === true) return undefined;
  if (client.options?.directConnection === true) return undefined;
  if (typeof primary !== 'string') return `the replica set ${setName} has no primary`;
  return `the primary of the replica set ${setName}, ${primary}, cannot be reached`;
}

/** Options of {@link mongodbPool}. */
export type MongodbPoolOptions = PoolCheckOptions;

/**
 * Reads the counters of a client's connection pools, of which it has one for each server, and judges the busiest; never
 * takes a connection and sends nothing (C7, C8). With mongoose give it `connection.getClient()`, once that is there.
 *
 * - pass: at most `warnAbove` of the pool is in use, or the client has not connected yet.
 * - warn: more is in use; code `pool_busy`. Saturated is not broken.
 * - fail: requests wait and no connection has come back for `noReturnFailMs` (`pool_exhausted`), or the queue was over
 *   `maxWaiting` for several samples (`pool_queue_too_long`).
 *
 * Suggested impact: `critical`. Cost: five property reads per server and run, no I/O.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no client or an option out of range
 */
export function mongodbPool(client: MongoPoolsLike, options: MongodbPoolOptions = {}): Check {
  if (typeof client?.on !== 'function' || typeof client.off !== 'function') {
    throw new OptionError('mongodbPool.client', 'a MongoClient with events', client);
  }
  return createPoolCheck(poolSource(client), options);
}

/** What the driver keeps of each server; the getters of its pool are public, the way there is not. */
interface Internals {
  readonly topology?: { readonly s?: { readonly servers?: ReadonlyMap<string, ServerOf> } };
}

interface ServerOf {
  readonly pool?: {
    readonly totalConnectionCount: number;
    readonly availableConnectionCount: number;
    readonly waitQueueSize: number;
    readonly options: { readonly maxPoolSize: number };
  };
}

const NO_POOL: PoolCounters = { total: 0, idle: 0, waiting: 0, max: Infinity };

function poolSource(client: MongoPoolsLike): PoolSource {
  let busiest: string | undefined;
  return {
    name: 'mongodbPool',
    listen: (onReturn) => {
      const listener = ({ address }: CheckedIn) => {
        // What comes back to another server's pool helps nobody who waits for this one's.
        if (busiest === undefined || address === busiest) onReturn();
      };
      client.on('connectionCheckedIn', listener);
      return () => void client.off('connectionCheckedIn', listener);
    },
    read: () => {
      const pools = [...((client as Internals).topology?.s?.servers ?? [])].flatMap(countersOf);
      const [first] = pools.toSorted((a, b) => pressure(b.counters) - pressure(a.counters));
      busiest = first?.address;
      return first?.counters ?? NO_POOL;
    },
  };
}

function countersOf([address, { pool }]: [string, ServerOf]) {
  if (pool === undefined) return [];
  const { totalConnectionCount: total, availableConnectionCount: idle, options } = pool;
  // 0 is no limit.
  const max = options.maxPoolSize === 0 ? Infinity : options.maxPoolSize;
  return [{ address, counters: { total, idle, waiting: pool.waitQueueSize, max } }];
}

/** Above 1 by as many as wait, else the share in use. */
function pressure({ total, idle, waiting, max }: PoolCounters): number {
  return waiting > 0 ? 1 + waiting : (total - idle) / max;
}
