import { HaleError, OptionError } from '../../core/errors.js';
import type { LeaseCall, LeaseOwner, LeaseRecord, LeaseStore } from '../../core/lease-store.js';
import {
  type ConnectionDriver,
  type ReservedConnection,
  createReservedConnection,
} from '../../core/reserved-connection.js';
import { functionOption, objectOption } from '../../core/validate.js';
import { ForeignEntry, readable } from '../foreign-entry.js';
import { createPollWatch } from '../poll-watch.js';
import { tokenOf } from '../rows.js';

/** The part of an ioredis (5) client that {@link redisLease} uses. */
export interface IoredisLeaseClient {
  readonly status: string;
  connect(): Promise<unknown>;
  call(command: string, ...args: string[]): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  disconnect(): void;
}

/** The part of a node-redis (4, 5) client that {@link redisLease} uses. */
export interface NodeRedisLeaseClient {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  sendCommand(args: string[]): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** From version 5 on. */
  destroy?(): void;
  disconnect?(): unknown;
}

export type RedisLeaseClient = IoredisLeaseClient | NodeRedisLeaseClient;

/** Options of {@link redisLease}. */
export interface RedisLeaseOptions {
  /** What every key begins with; the braces keep them together in a cluster. @defaultValue 'hale:{lease}:' */
  prefix?: string;
}

/**
 * Keeps leases in Redis (6 or later, or Valkey), each call one script on a connection of its own, which is destroyed when
 * there is no answer in time.
 *
 * - Guarantees: one holder, and tokens that only grow, on one server that does not lose its data: `appendonly yes` with
 *   `appendfsync always`, and a `maxmemory-policy` that does not evict keys without a ttl. Times are the server's clock.
 * - Does not: survive a fail-over for certain. Replication is asynchronous: after one, two holders are possible, and the
 *   same token may be granted twice. Guard the resource by token and holder. A jump of the server's clock expires leases.
 * @param connect - creates a fresh, not yet connected client: `() => new Redis({ lazyConnect: true })` of ioredis, or
 * `() => createClient()` of node-redis
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function redisLease(
  connect: () => RedisLeaseClient,
  options: RedisLeaseOptions = {},
): LeaseStore {
  functionOption('redisLease.connect', connect);
  const { prefix = 'hale:{lease}:' } = objectOption('redisLease', options);
  if (typeof prefix !== 'string' || prefix === '' || prefix.length > 200)
    throw new OptionError('redisLease.prefix', 'a text of 1 to 200 characters', prefix);
  return new RedisLease(connect, prefix);
}

class RedisLease implements LeaseStore {
  readonly backend = 'redis';
  readonly #connect: () => RedisLeaseClient;
  readonly #prefix: string;
  #connection: ReservedConnection<RedisLeaseClient> | undefined;

  constructor(connect: () => RedisLeaseClient, prefix: string) {
    this.#connect = connect;
    this.#prefix = prefix;
  }

  async acquire(
    ...[request, call]: Parameters<LeaseStore['acquire']>
  ): ReturnType<LeaseStore['acquire']> {
    const ttlMs = wholeMs(request.ttlMs);
    const { name, holder, data } = request;
    const answer = await this.#run(ACQUIRE, name, [holder, String(ttlMs), data, name], call);
    const [granted, ...rest] = answer;
    if (granted === 1) return { kind: 'granted', token: BigInt(String(rest[0])), ttlMs };
    return { kind: 'denied', owner: ownerOf(rest) };
  }

  async renew(
    ...[renewal, call]: Parameters<LeaseStore['renew']>
  ): ReturnType<LeaseStore['renew']> {
    const ttlMs = wholeMs(renewal.ttlMs);
    const { name, holder, data, token } = renewal;
    const args = [holder, String(token), String(ttlMs), data, name];
    const [renewed, ...owner] = await this.#run(RENEW, name, args, call);
    return renewed === 1 ? { kind: 'renewed', ttlMs } : { kind: 'lost', owner: ownerOf(owner) };
  }

  async release(
    ...[{ name, holder, token }, call]: Parameters<LeaseStore['release']>
  ): ReturnType<LeaseStore['release']> {
    const [released] = await this.#run(RELEASE, name, [holder, String(token), name], call);
    return { kind: released === 1 ? 'released' : 'not_held' };
  }

  async list(
    ...[{ prefix = '' }, call]: Parameters<LeaseStore['list']>
  ): ReturnType<LeaseStore['list']> {
    const rows = await this.#run(LIST, '', [prefix], call);
    return readable(rows, (row) => recordOf(this.#prefix, row), call);
  }

  watch(
    ...[query, listener, context]: Parameters<LeaseStore['watch']>
  ): ReturnType<LeaseStore['watch']> {
    const own = new RedisLease(this.#connect, this.#prefix);
    const list = (call: LeaseCall): ReturnType<LeaseStore['list']> => own.list(query, call);
    return createPollWatch({ context, listener, list, close: () => own.close() });
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #run(
    script: string,
    name: string,
    args: readonly string[],
    { signal }: LeaseCall,
  ): Promise<readonly unknown[]> {
    this.#connection ??= createReservedConnection(driver(this.#connect));
    const prefix = this.#prefix;
    const keys = [`${prefix}fence:${name}`, `${prefix}held:${name}`, `${prefix}names`];
    const command = ['EVAL', script, String(keys.length), ...keys, ...args];
    const answer = await this.#connection.ask((client) => send(client, command), signal);
    if (Array.isArray(answer)) return answer;
    throw new HaleError('HALE_STATE', 'Redis answered a script with something else than a list');
  }
}

function send(client: RedisLeaseClient, [command = '', ...args]: string[]): Promise<unknown> {
  // ioredis has a sendCommand() too, which takes something else.
  return 'call' in client ? client.call(command, ...args) : client.sendCommand([command, ...args]);
}

const driver = (connect: () => RedisLeaseClient): ConnectionDriver<RedisLeaseClient> => ({
  create: (onLost) => {
    const client = connect();
    // Stays attached for good: a late 'error' without a listener would end the process.
    client.on('error', onLost);
    return client;
  },
  // An ioredis client that was not made with lazyConnect connects by itself, and queues commands meanwhile.
  connect: async (client) =>
    'call' in client && client.status !== 'wait' ? undefined : client.connect(),
  destroy(client) {
    if ('call' in client) {
      client.disconnect();
      return;
    }
    // Both throw, or reject, on a client that is not open.
    (async () => (client.destroy === undefined ? client.disconnect?.() : client.destroy()))().catch(
      () => {},
    );
  },
});

/** Redis takes whole milliseconds; less than asked is granted, never more. */
function wholeMs(ttlMs: number): number {
  return Math.max(1, Math.floor(ttlMs));
}

function ownerOf([holder, token, expiresInMs]: readonly unknown[]): LeaseOwner {
  if (typeof holder !== 'string' || holder === '') return {};
  return { holder, token: tokenOf(token), expiresInMs: Math.max(0, Number(expiresInMs)) };
}

/** @throws ForeignEntry for a key that holds no lease */
function recordOf(prefix: string, row: unknown): LeaseRecord {
  const [name, holder, token, ttlMs, renewals, data, expiresInMs] = row as readonly unknown[];
  if (!/^\d{1,19}$/.test(String(token)) || !(Number(ttlMs) > 0))
    throw new ForeignEntry('Redis', `${prefix}held:${String(name)}`);
  return {
    name: String(name),
    holder: String(holder),
    token: BigInt(String(token)),
    ttlMs: Number(ttlMs),
    expiresInMs: Math.max(0, Number(expiresInMs)),
    revision: `${String(token)}.${String(renewals)}`,
    data: String(data),
  };
}

// KEYS: the token of the name, which never expires; who has it, which does; all names that somebody has, by expiry.
const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;
const OWNER = `return {0, held[1] or '', held[2] or '', redis.call('PTTL', KEYS[2])}`;

const ACQUIRE = `${NOW}local held = redis.call('HMGET', KEYS[2], 'holder', 'fence')
if held[1] and held[1] ~= ARGV[1] then ${OWNER} end
redis.call('INCR', KEYS[1])
local fence = redis.call('GET', KEYS[1])
redis.call('HSET', KEYS[2], 'holder', ARGV[1], 'fence', fence, 'ttl', ARGV[2], 'data', ARGV[3], 'renewals', '0')
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('ZADD', KEYS[3], now + ARGV[2], ARGV[4])
return {1, fence}`;

const RENEW = `${NOW}local held = redis.call('HMGET', KEYS[2], 'holder', 'fence')
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then ${OWNER} end
redis.call('HSET', KEYS[2], 'ttl', ARGV[3], 'data', ARGV[4])
redis.call('HINCRBY', KEYS[2], 'renewals', 1)
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('ZADD', KEYS[3], now + ARGV[3], ARGV[5])
return {1}`;

const RELEASE = `local held = redis.call('HMGET', KEYS[2], 'holder', 'fence')
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then return {0} end
redis.call('DEL', KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[3])
return {1}`;

// Names long expired are dropped on the way: nobody else would.
const LIST = `${NOW}redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - 60000)
local rows = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], now, '+inf')) do
  if string.sub(name, 1, #ARGV[1]) == ARGV[1] then
    local key = KEYS[2] .. name
    local row = redis.pcall('HMGET', key, 'holder', 'fence', 'ttl', 'renewals', 'data')
    if row.err and not string.find(row.err, 'WRONGTYPE') then return row end
    if row.err then
      rows[#rows + 1] = {name}
    elseif row[1] then
      rows[#rows + 1] = {name, row[1], row[2], row[3], row[4], row[5], redis.call('PTTL', key)}
    end
  end
end
return rows`;
