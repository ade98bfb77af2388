import BetterSqlite3 from 'better-sqlite3';
import { Queue } from 'bullmq';
import { Queue as Queue5 } from 'bullmq5';
import { type CircuitBreakerPolicy, type RetryPolicy } from 'cockatiel';
import { type Cluster, Redis } from 'ioredis';
import CircuitBreaker from 'opossum';
import pg from 'pg';
import { createClient, createClientPool } from 'redis';
import { describe, expectTypeOf, it } from 'vitest';
import {
  type CockatielBreakerLike,
  type OpossumBreakerLike,
  cockatielBreaker,
  opossumBreaker,
} from '../../src/checks/breakers.js';
import { healthJson } from '../../src/checks/health-json.js';
import { type FetchLike, httpUpstream } from '../../src/checks/http.js';
import {
  type PostgresClientLike,
  type PostgresPoolLike,
  postgresPool,
  postgresQuery,
} from '../../src/checks/postgres.js';
import { type BullQueueLike, bullmqQueueDepth } from '../../src/checks/queue-depth.js';
import { type RedisLike, redisPing } from '../../src/checks/redis.js';
import { type SqliteLike, sqliteQuery } from '../../src/checks/sqlite.js';
import type { Check } from '../../src/core/check.js';

describe('the clients of the real libraries fit without a cast', () => {
  it('pg', () => {
    expectTypeOf<pg.Pool>().toExtend<PostgresPoolLike>();
    expectTypeOf<pg.Client>().toExtend<PostgresClientLike>();
    expectTypeOf(postgresPool).toBeCallableWith(new pg.Pool());
    expectTypeOf(postgresQuery).toBeCallableWith(() => new pg.Client());
  });

  it('ioredis', () => {
    expectTypeOf<Redis>().toExtend<RedisLike>();
    expectTypeOf<Cluster>().toExtend<RedisLike>();
    expectTypeOf(redisPing).toBeCallableWith(new Redis());
  });

  it('redis', () => {
    const client = createClient();
    expectTypeOf(client).toExtend<RedisLike>();
    expectTypeOf(redisPing).toBeCallableWith(client);
    const pool = createClientPool();
    expectTypeOf(pool).toExtend<RedisLike>();
  });

  it('opossum and cockatiel', () => {
    expectTypeOf<CircuitBreaker<[number], string>>().toExtend<OpossumBreakerLike>();
    expectTypeOf(opossumBreaker).toBeCallableWith(new CircuitBreaker(async () => 1));
    expectTypeOf<CircuitBreakerPolicy>().toExtend<CockatielBreakerLike>();
    expectTypeOf(cockatielBreaker).toBeCallableWith(null as unknown as CircuitBreakerPolicy);
  });

  it('bullmq 5 and 6', () => {
    expectTypeOf<Queue5>().toExtend<BullQueueLike>();
    expectTypeOf<Queue5<{ n: number }, string>>().toExtend<BullQueueLike>();
    bullmqQueueDepth(new Queue5('orders', { connection: {} }), { warnDepth: 1 });
    expectTypeOf<Queue>().toExtend<BullQueueLike>();
    expectTypeOf<Queue<{ n: number }, string>>().toExtend<BullQueueLike>();
    bullmqQueueDepth(new Queue('orders', { connection: {} }), { warnDepth: 1 });
  });

  it('better-sqlite3', () => {
    expectTypeOf<BetterSqlite3.Database>().toExtend<SqliteLike>();
    sqliteQuery(new BetterSqlite3('orders.db'));
  });

  it('node:sqlite, whose statements take values', () => {
    // As in the types for Node.js 22: DatabaseSync.prepare(sql: string): StatementSync.
    interface StatementSync {
      get(...values: readonly (null | number | bigint | string | Uint8Array)[]): unknown;
    }
    expectTypeOf<{ prepare(sql: string): StatementSync }>().toExtend<SqliteLike>();
  });

  it('fetch', () => {
    expectTypeOf<typeof fetch>().toExtend<FetchLike>();
    expectTypeOf(httpUpstream).returns.toEqualTypeOf<Check>();
  });
});

describe('what is no client does not fit', () => {
  it('is a type error', () => {
    expectTypeOf<pg.Pool>().not.toExtend<() => PostgresClientLike>();
    expectTypeOf<pg.Client>().not.toExtend<PostgresPoolLike>();
    expectTypeOf<pg.Client>().not.toExtend<RedisLike>();
    expectTypeOf<RetryPolicy>().not.toExtend<CockatielBreakerLike>();
    expectTypeOf<Queue>().not.toExtend<SqliteLike>();
    expectTypeOf<Queue5>().not.toExtend<SqliteLike>();
    // @ts-expect-error R9: a peer never decides about this instance's readiness
    healthJson('http://peer/', { impact: 'critical' });
    // @ts-expect-error redirects are never followed, so there is no option for them
    httpUpstream('http://host/', { redirect: 'follow' });
  });
});
