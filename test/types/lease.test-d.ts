import { S3 } from '@aws-sdk/client-s3';
import BetterSqlite3 from 'better-sqlite3';
import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import Libsql from 'libsql';
import wasm from 'node-sqlite3-wasm';
import pg from 'pg';
import { createClient } from 'redis';
import { createClient as createClient4 } from 'redis4';
import { createClient as createClient6 } from 'redis6';
import { describe, expectTypeOf, it } from 'vitest';
import type { LeaseParticipant } from '../../src/core/lease-host.js';
import type { Health } from '../../src/health.js';
import {
  etcdGuard,
  postgresGuard,
  redisGuard,
  s3Guard,
  sqliteGuard,
} from '../../src/lease-guards.js';
import type { FenceRequest, FenceResponse, S3GuardClient } from '../../src/lease-guards.js';
import {
  type LeaseGrant,
  type LeaseStore,
  createLease,
  type Lease,
} from '../../src/lease/index.js';
import { consulLease } from '../../src/lease/stores/consul.js';
import { kubernetesLease } from '../../src/lease/stores/kubernetes.js';
import { memoryLease } from '../../src/lease/stores/memory.js';
import { type PostgresLeaseClient, postgresLease } from '../../src/lease/stores/postgres.js';
import { type RedisLeaseClient, redisLease } from '../../src/lease/stores/redis.js';
import { type SqliteLeaseHandle, sqliteLease } from '../../src/lease/stores/sqlite.js';
import type { IncomingMessage, ServerResponse } from 'node:http';

describe('the clients of the real libraries fit the lease stores and guards without a cast', () => {
  it('pg', () => {
    expectTypeOf<pg.Client>().toExtend<PostgresLeaseClient>();
    postgresLease(() => new pg.Client());
    const client = null as unknown as pg.PoolClient;
    expectTypeOf(postgresGuard().write).toBeCallableWith(
      client,
      'orders',
      null as unknown as LeaseGrant,
      async () => 1,
    );
  });

  it('ioredis 5 and 6, redis 4, 5 and 6', () => {
    expectTypeOf<Redis>().toExtend<RedisLeaseClient>();
    expectTypeOf<Redis6>().toExtend<RedisLeaseClient>();
    redisLease(() => new Redis({ lazyConnect: true }));
    redisLease(() => new Redis6({ lazyConnect: true }));
    redisLease(() => createClient());
    redisLease(() => createClient4());
    redisLease(() => createClient6());
    redisGuard(new Redis());
    redisGuard(new Redis6());
    redisGuard(createClient());
    redisGuard(createClient4());
    redisGuard(createClient6());
  });

  it('better-sqlite3, libsql and node-sqlite3-wasm', () => {
    expectTypeOf<BetterSqlite3.Database>().toExtend<SqliteLeaseHandle>();
    sqliteLease(new BetterSqlite3('leases.db'));
    sqliteLease(new Libsql('leases.db'));
    sqliteLease(new wasm.Database('leases.db'));
    sqliteGuard(new BetterSqlite3('orders.db'));
    sqliteGuard(new wasm.Database('orders.db'));
  });

  it('node:sqlite', () => {
    // As in the types for Node.js 22.
    type SqlValue = null | number | bigint | string | Uint8Array;
    interface StatementSync {
      all(...values: SqlValue[]): unknown[];
      all(named: Record<string, SqlValue>, ...values: SqlValue[]): unknown[];
    }
    interface DatabaseSync {
      exec(sql: string): void;
      prepare(sql: string): StatementSync;
    }
    expectTypeOf<DatabaseSync>().toExtend<SqliteLeaseHandle>();
  });

  it('@aws-sdk/client-s3 3', () => {
    expectTypeOf<S3>().toExtend<S3GuardClient>();
    s3Guard(new S3({}), { bucket: 'orders' });
    // @ts-expect-error a bucket is needed
    s3Guard(new S3({}), {});
  });

  it('a grant fits the guard of etcd, and what is written is a put or a delete', () => {
    const { write } = etcdGuard('http://127.0.0.1:2379');
    const grant = null as unknown as LeaseGrant;
    expectTypeOf(write).toBeCallableWith('orders', grant, [
      { put: 'a', value: 'b' },
      { delete: 'c' },
    ]);
    // @ts-expect-error a put has a value
    void (() => write('orders', grant, [{ put: 'a' }]));
  });

  it('stores without a client take addresses and credentials', () => {
    expectTypeOf(kubernetesLease()).toEqualTypeOf<LeaseStore>();
    expectTypeOf(consulLease('http://127.0.0.1:8500', { token: 'x' })).toEqualTypeOf<LeaseStore>();
    // @ts-expect-error a token is a text
    consulLease('http://127.0.0.1:8500', { token: 7 });
    // @ts-expect-error the name of the option is tokenFile
    kubernetesLease({ tokenPath: '/token' });
  });

  it('node:http fits the fence middleware', () => {
    expectTypeOf<IncomingMessage>().toExtend<FenceRequest>();
    expectTypeOf<ServerResponse>().toExtend<FenceResponse>();
  });
});

describe('a lease', () => {
  it('joins the health of a process', () => {
    expectTypeOf<Lease>().toExtend<LeaseParticipant>();
    expectTypeOf<Health['lease']>().toBeCallableWith(null as unknown as Lease);
    expectTypeOf(memoryLease).returns.toEqualTypeOf<LeaseStore>();
  });

  it('has a token that cannot be mistaken for a number or a text', () => {
    expectTypeOf<LeaseGrant['token']>().toEqualTypeOf<bigint>();
    const store = memoryLease();
    // @ts-expect-error a lease has a name
    createLease({ store });
    // @ts-expect-error losing a lease is never ignored
    createLease({ store, name: 'orders', onLost: 'ignore' });
    // @ts-expect-error a pool hands out connections that others have used
    postgresLease(new pg.Pool());
  });
});
