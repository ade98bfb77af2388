export { type FenceClaim, isAccepted } from './claim.js';
export { type EtcdGuard, type EtcdGuardOptions, type EtcdWrite, etcdGuard } from './etcd.js';
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
} from './http.js';
export {
  type IoredisGuardClient,
  type NodeRedisGuardClient,
  type RedisGuard,
  type RedisGuardOptions,
  redisGuard,
} from './redis.js';
export {
  type S3Guard,
  type S3GuardClient,
  type S3Guarded,
  type S3GuardOptions,
  s3Guard,
} from './s3.js';
export {
  type PostgresGuard,
  type PostgresGuardClient,
  SQL_DIALECTS,
  type SqlDialect,
  type SqlFence,
  type SqlFenceOptions,
  type SqlStatement,
  postgresGuard,
  sqlFence,
} from './sql.js';
export {
  type SqliteGuard,
  type SqliteGuardHandle,
  type SqliteGuardOptions,
  sqliteGuard,
} from './sqlite.js';
