import { type Cluster, Redis } from 'ioredis';
import pg from 'pg';
import { createClient, createClientPool } from 'redis';
import { describe, expectTypeOf, it } from 'vitest';
import { type FetchLike, httpUpstream } from '../../src/checks/http.js';
import {
  type PostgresClientLike,
  type PostgresPoolLike,
  postgresPool,
  postgresQuery,
} from '../../src/checks/postgres.js';
import { type RedisLike, redisPing } from '../../src/checks/redis.js';
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
    // @ts-expect-error redirects are never followed, so there is no option for them
    httpUpstream('http://host/', { redirect: 'follow' });
  });
});
