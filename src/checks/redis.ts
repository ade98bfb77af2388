import type { Check, CheckOptions } from '../core/check.js';
import { OptionError, describe } from '../core/errors.js';
import { createRoundTrip } from '../core/round-trip.js';

/** What clients tell about their connection. */
interface RedisState {
  /** State of an ioredis client or cluster. */
  readonly status?: string;
  /** Whether a node-redis client is connected and has done its handshake. */
  readonly isReady?: boolean;
}

/**
 * The part of a client that {@link redisPing} uses: of ioredis (5, 6), single, sentinel or cluster, or of node-redis
 * (4, 5, 6), single, pool or sentinel.
 */
export interface RedisLike extends RedisState {
  ping(): Promise<unknown>;
}

/** The part of a cluster of node-redis (4, 5, 6) that {@link redisPing} uses; not all of them have `ping()`. */
export interface RedisClusterLike extends RedisState {
  sendCommand(firstKey: undefined, isReadonly: boolean, args: string[]): Promise<unknown>;
  /** The nodes it knows of; the `sendCommand` of a single client takes other arguments and has none. */
  readonly masters: readonly unknown[];
}

/** Options of {@link redisPing}. */
export type RedisPingOptions = CheckOptions;

// States in which ioredis only puts a command into its offline queue. It leaves them by itself; asking
// would add one command per run to that queue for as long as the server is away.
const AWAY: readonly (string | undefined)[] = ['reconnecting', 'close', 'end'];

/**
 * Sends PING on the application's own client and waits for PONG; the wait ends with the run's signal
 * also while the client only queues the command (ioredis by default, without a connection). One PING at most is in that
 * queue. A cluster sends it to one of its nodes, a client of a sentinel to the master.
 *
 * - pass: the server answered PONG.
 * - warn: never.
 * - fail: anything else came, the command failed, the client is known to have no connection, or there
 *   was no answer before the timeout.
 *
 * Suggested impact: `degraded` for a cache, `critical` for a store. Cost: one PING per run on the
 * client's connection; no connection of its own.
 * @throws OptionError (`HALE_OPTION_INVALID`) for a client without `ping()`
 */
export function redisPing(
  client: RedisLike | RedisClusterLike,
  options: RedisPingOptions = {},
): Check {
  const ping = pingOf(client);
  const ask = createRoundTrip(async () => {
    const answer = await ping();
    if (!isPong(answer)) {
      throw new Error(`PING was answered with ${describe(answer)} instead of PONG`);
    }
  });
  return {
    componentType: 'datastore',
    measurement: 'responseTime',
    ...options,
    run: async (signal) => {
      signal.throwIfAborted();
      if (isAway(client)) throw new Error(`no connection to Redis${stateText(client)}`);
      await ask(client, signal, () => noAnswer(client, signal));
    },
  };
}

function pingOf(client: RedisLike | RedisClusterLike): () => Promise<unknown> {
  if (typeof client === 'object' && client !== null) {
    if ('ping' in client && typeof client.ping === 'function') return () => client.ping();
    if ('sendCommand' in client && typeof client.sendCommand === 'function' && isCluster(client)) {
      return () => client.sendCommand(undefined, true, ['PING']);
    }
  }
  throw new OptionError('redisPing.client', 'a Redis client with ping()', client);
}

function isCluster(client: object): client is RedisClusterLike {
  return 'masters' in client && Array.isArray(client.masters);
}

function isAway(client: RedisState): boolean {
  // A cluster of node-redis 4 or 5 looks for a random node in an endless loop while it knows of none.
  if (isCluster(client) && client.masters.length === 0) return true;
  return client.isReady === false || AWAY.includes(client.status);
}

function isPong(answer: unknown): boolean {
  // A client mapped to buffers answers with bytes.
  const text = answer instanceof Uint8Array ? String.fromCharCode(...answer) : answer;
  return text === 'PONG';
}

function noAnswer(client: RedisState, signal: AbortSignal): Error {
  return new Error(`no answer to PING${stateText(client)}`, { cause: signal.reason });
}

function stateText({ status, isReady }: RedisState): string {
  if (typeof status === 'string') return ` (client is ${status})`;
  return isReady === false ? ' (client is not ready)' : '';
}
