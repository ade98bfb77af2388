import type { Clock } from '../../core/clock.js';
import { OptionError } from '../../core/errors.js';
import { objectOption, textOption } from '../../core/validate.js';
import { type SignalledClaim, claimTexts, fencedError } from './claim.js';
import { type GuardTimeOptions, inTime, timeLimit } from './time-limit.js';

/** The part of an ioredis (5) client that {@link redisGuard} uses. */
export interface IoredisGuardClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** The part of a node-redis (4, 5) client that {@link redisGuard} uses. */
export interface NodeRedisGuardClient {
  sendCommand(args: string[]): Promise<unknown>;
}

/** Commands to Redis that a newer token has not overtaken. */
export interface RedisGuard {
  /**
   * Sends one command, such as `['SET', 'price', '3']`, and resolves with its answer. In a cluster, resource and keys must
   * share a hash tag, and `keys` must name them.
   * @throws HaleError `HALE_FENCED` when the token is too old: nothing was written. `HALE_GUARD_TIMEOUT` without an answer.
   */
  run(
    resource: string,
    claim: SignalledClaim,
    command: readonly string[],
    keys?: readonly string[],
  ): Promise<unknown>;
}

/** Options of {@link redisGuard}. */
export interface RedisGuardOptions extends GuardTimeOptions {
  /** What the key of a resource's token begins with. It has no ttl, and must not be evicted. @defaultValue 'hale:fence:' */
  prefix?: string;
}

/** Creates the guard of keys of Redis. */
export function createRedisGuard(
  client: IoredisGuardClient | NodeRedisGuardClient,
  options: RedisGuardOptions,
  systemClock: Clock,
): RedisGuard {
  const { prefix = 'hale:fence:' } = objectOption('redisGuard', options);
  const limit = timeLimit('redisGuard', options, systemClock);
  if (
    client === null ||
    typeof client !== 'object' ||
    !('call' in client || 'sendCommand' in client)
  )
    throw new OptionError('redisGuard.client', 'a client of ioredis or node-redis', client);
  textOption('redisGuard.prefix', prefix);
  return {
    async run(resource, claim, command, keys = []) {
      const { token, holder } = claimTexts(claim);
      if (command.length === 0) throw new OptionError('command', 'a command', command);
      const all = [`${prefix}${textOption('fence.resource', resource)}`, ...keys];
      const args = [SCRIPT, String(all.length), ...all, token, holder, ...command];
      // ioredis has a sendCommand() too, which takes something else.
      const answer = await inTime(limit, resource, claim.signal, () =>
        'call' in client ? client.call('EVAL', ...args) : client.sendCommand(['EVAL', ...args]),
      );
      const [accepted, result] = Array.isArray(answer) ? (answer as unknown[]) : [];
      if (accepted !== 1) throw fencedError(resource, claim);
      return result;
    },
  };
}

// Tokens are compared as text, for numbers of Lua end at 2^53.
const SCRIPT = `local seen = redis.call('HMGET', KEYS[1], 'token', 'holder')
local token, holder = ARGV[1], ARGV[2]
local function older(a, b) if #a ~= #b then return #a < #b end return a < b end
if seen[1] then
  if older(token, seen[1]) or (token == seen[1] and holder ~= seen[2]) then return {0} end
end
if token ~= seen[1] then redis.call('HSET', KEYS[1], 'token', token, 'holder', holder) end
return {1, redis.call(unpack(ARGV, 3))}`;
