import { untilAborted } from '../core/abort.js';
import type { Check, CheckOptions } from '../core/check.js';
import { OptionError, describe } from '../core/errors.js';

/** The part of an ioredis (5) or node-redis (4, 5) client that {@link redisPing} uses. */
export interface RedisLike {
  ping(): Promise<unknown>;
  /** State of an ioredis client or cluster. */
  readonly status?: string;
  /** Whether a node-redis client is connected and has done its handshake. */
  readonly isReady?: boolean;
}

/** Options of {@link redisPing}. */
export type RedisPingOptions = CheckOptions;

// States in which ioredis only puts a command into its offline queue. It leaves them by itself; asking
// would add one command per run to that queue for as long as the server is away.
const AWAY: readonly (string | undefined)[] = ['reconnecting', 'close', 'end'];

/**
 * Sends PING on the application's own client and waits for PONG; the wait ends with the run's signal
 * also while the client only queues the command (ioredis by default, without a connection).
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
export function redisPing(client: RedisLike, options: RedisPingOptions = {}): Check {
  if (typeof client?.ping !== 'function') {
    throw new OptionError('redisPing.client', 'a Redis client with ping()', client);
  }
  return {
    componentType: 'datastore',
    measurement: 'responseTime',
    ...options,
    run: async (signal) => {
      signal.throwIfAborted();
      if (isAway(client)) throw new Error(`no connection to Redis${stateText(client)}`);
      const answer = await untilAborted(client.ping(), signal, () => noAnswer(client, signal));
      if (isPong(answer)) return;
      throw new Error(`PING was answered with ${describe(answer)} instead of PONG`);
    },
  };
}

function isAway(client: RedisLike): boolean {
  return client.isReady === false || AWAY.includes(client.status);
}

function isPong(answer: unknown): boolean {
  // A client mapped to buffers answers with bytes.
  const text = answer instanceof Uint8Array ? String.fromCharCode(...answer) : answer;
  return text === 'PONG';
}

function noAnswer(client: RedisLike, signal: AbortSignal): Error {
  return new Error(`no answer to PING${stateText(client)}`, { cause: signal.reason });
}

function stateText({ status, isReady }: RedisLike): string {
  if (typeof status === 'string') return ` (client is ${status})`;
  return isReady === false ? ' (client is not ready)' : '';
}
