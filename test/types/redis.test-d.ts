import { type Cluster, Redis } from 'ioredis';
import { type Cluster as Cluster6, Redis as Redis6 } from 'ioredis6';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import { createClient as createClient4, createCluster as createCluster4 } from 'redis4';
import {
  createClient as createClient6,
  createClientPool as createClientPool6,
  createCluster as createCluster6,
  createSentinel as createSentinel6,
} from 'redis6';
import { describe, expectTypeOf, it } from 'vitest';
import { type RedisLike, redisPing } from '../../src/checks/redis.js';
import type { Check } from '../../src/core/check.js';

describe('every supported major of the Redis clients fits without a cast', () => {
  it('ioredis 5 and 6, single and cluster', () => {
    expectTypeOf<Redis>().toExtend<RedisLike>();
    expectTypeOf<Redis6>().toExtend<RedisLike>();
    expectTypeOf<Cluster>().toExtend<RedisLike>();
    expectTypeOf<Cluster6>().toExtend<RedisLike>();
    expectTypeOf(redisPing(new Redis())).toEqualTypeOf<Check>();
    expectTypeOf(redisPing(new Redis6())).toEqualTypeOf<Check>();
  });

  it('redis 4, single and cluster', () => {
    expectTypeOf(redisPing(createClient4())).toEqualTypeOf<Check>();
    expectTypeOf(redisPing(createCluster4({ rootNodes: [] }))).toEqualTypeOf<Check>();
  });

  it('redis 5 and 6, single, pool, cluster and sentinel', () => {
    expectTypeOf(redisPing(createClient())).toEqualTypeOf<Check>();
    expectTypeOf(redisPing(createClient6())).toEqualTypeOf<Check>();
    expectTypeOf(redisPing(createClientPool())).toEqualTypeOf<Check>();
    expectTypeOf(redisPing(createClientPool6())).toEqualTypeOf<Check>();
    expectTypeOf(redisPing(createCluster({ rootNodes: [] }))).toEqualTypeOf<Check>();
    expectTypeOf(redisPing(createCluster6({ rootNodes: [] }))).toEqualTypeOf<Check>();
    expectTypeOf(
      redisPing(createSentinel({ name: 'orders', sentinelRootNodes: [] })),
    ).toEqualTypeOf<Check>();
    expectTypeOf(
      redisPing(createSentinel6({ name: 'orders', sentinelRootNodes: [] })),
    ).toEqualTypeOf<Check>();
  });
});
