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

describe('every supported major of the Redis clients fits without a cast', () => {
  it('ioredis 5 and 6, single and cluster', () => {
    expectTypeOf<Redis>().toExtend<RedisLike>();
    expectTypeOf<Redis6>().toExtend<RedisLike>();
    expectTypeOf<Cluster>().toExtend<RedisLike>();
    expectTypeOf<Cluster6>().toExtend<RedisLike>();
    redisPing(new Redis());
    redisPing(new Redis6());
  });

  it('redis 4, single and cluster', () => {
    redisPing(createClient4());
    redisPing(createCluster4({ rootNodes: [] }));
  });

  it('redis 5 and 6, single, pool, cluster and sentinel', () => {
    redisPing(createClient());
    redisPing(createClient6());
    redisPing(createClientPool());
    redisPing(createClientPool6());
    redisPing(createCluster({ rootNodes: [] }));
    redisPing(createCluster6({ rootNodes: [] }));
    redisPing(createSentinel({ name: 'orders', sentinelRootNodes: [] }));
    redisPing(createSentinel6({ name: 'orders', sentinelRootNodes: [] }));
  });
});
