import { systemClock } from './engine/system-clock.js';
import { type EtcdGuard, type EtcdGuardOptions, createEtcdGuard } from './lease/guards/etcd.js';
import {
  type IoredisGuardClient,
  type NodeRedisGuardClient,
  type RedisGuard,
  type RedisGuardOptions,
  createRedisGuard,
} from './lease/guards/redis.js';
import {
  type S3Guard,
  type S3GuardClient,
  type S3GuardOptions,
  createS3Guard,
} from './lease/guards/s3.js';
import {
  type PostgresGuard,
  type PostgresGuardOptions,
  createPostgresGuard,
} from './lease/guards/sql.js';

export { type FenceClaim, type SignalledClaim, isAccepted } from './lease/guards/claim.js';
export type { EtcdGuard, EtcdGuardOptions, EtcdWrite } from './lease/guards/etcd.js';
export {
  FENCE_HEADERS,
  type FenceAdmission,
  type FenceRequest,
  type FenceResponse,
  type HttpFence,
  type HttpFenceOptions,
  type ReadHeader,
  createHttpFence,
  fenceHeaders,
} from './lease/guards/http.js';
export type {
  IoredisGuardClient,
  NodeRedisGuardClient,
  RedisGuard,
  RedisGuardOptions,
} from './lease/guards/redis.js';
export type { S3Guard, S3GuardClient, S3Guarded, S3GuardOptions } from './lease/guards/s3.js';
export {
  type PostgresGuard,
  type PostgresGuardClient,
  type PostgresGuardOptions,
  SQL_DIALECTS,
  type SqlDialect,
  type SqlFence,
  type SqlFenceOptions,
  type SqlStatement,
  sqlFence,
} from './lease/guards/sql.js';
export {
  type SqliteGuard,
  type SqliteGuardHandle,
  type SqliteGuardOptions,
  sqliteGuard,
} from './lease/guards/sqlite.js';
export type { GuardTimeOptions } from './lease/guards/time-limit.js';

/**
 * Guards keys of etcd (3.4 or later), over its JSON gateway.
 * @param url - the base URL of one endpoint, or of several of one cluster that are asked in turn when one fails
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function etcdGuard(
  url: string | URL | readonly (string | URL)[],
  options: EtcdGuardOptions = {},
): EtcdGuard {
  return createEtcdGuard(url, options, systemClock);
}

/**
 * Guards keys of Redis: token and command are one script.
 * @throws OptionError for what is no client, or an option outside its range.
 */
export function redisGuard(
  client: IoredisGuardClient | NodeRedisGuardClient,
  options: RedisGuardOptions = {},
): RedisGuard {
  return createRedisGuard(client, options, systemClock);
}

/**
 * Guards JSON documents in S3, or in a store with its conditional writes, by `If-Match` and `If-None-Match`. Token and
 * holder are in the document and not beside it, because an ETag is made of the content alone. For what is big, write an
 * object of its own first, and its name through the guard.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function s3Guard(client: S3GuardClient, options: S3GuardOptions): S3Guard {
  return createS3Guard(client, options, systemClock);
}

/**
 * Guards tables of PostgreSQL.
 * @throws OptionError when the table has no valid name, or an option is outside its range.
 */
export function postgresGuard(options: PostgresGuardOptions = {}): PostgresGuard {
  return createPostgresGuard(options, systemClock);
}
