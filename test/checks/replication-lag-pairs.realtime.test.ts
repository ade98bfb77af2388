import { Redis } from 'ioredis';
import pg from 'pg';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  POSTGRES_REPLICATION_LAG,
  redisReplicationLag,
  replicationLag,
} from '../../src/checks/replication-lag.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { harness } from '../support/run-check.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';
import { startRedis } from '../support/servers/redis.js';
import { findFreePort } from '../support/servers/server-process.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const SOON = { timeout: 10_000, interval: 100 };

describe('replicationLag on a real pair of Redis', () => {
  let primary: ManagedServer;
  let replica: ManagedServer;
  beforeAll(async () => {
    primary = await startRedis();
    replica = await startRedis({ replicaOf: primary.port });
  });
  afterAll(() => Promise.all([primary.dispose(), replica.dispose()]));

  function check(port: number) {
    const client = new Redis(port, '127.0.0.1');
    client.on('error', () => {});
    cleanups.push(() => client.disconnect());
    const read = async () => redisReplicationLag(await client.info('replication'));
    return harness(replicationLag(read, { warnAboveMs: 1_000 }), systemClock);
  }

  it('a primary has no lag, a replica that follows has little', async () => {
    expect(await check(primary.port).run()).toMatchObject({ status: 'pass', observedValue: 0 });
    const following = check(replica.port);
    await vi.waitFor(async () => expect((await following.run()).status).toBe('pass'), SOON);
  });

  it('node-redis tells the same', async () => {
    const client = createClient({ url: primary.url });
    await client.connect();
    cleanups.push(() => client.destroy());
    expect(redisReplicationLag(await client.info('replication'))).toBe(0);
  });

  it('C10: a frozen and a lost primary: warns with a lag that grows, recovers without help', async () => {
    const behind = check(replica.port);
    await vi.waitFor(async () => expect((await behind.run()).status).toBe('pass'), SOON);
    primary.freeze();
    const warned = { status: 'warn', code: 'replica_behind' };
    await vi.waitFor(async () => expect(await behind.run()).toMatchObject(warned), SOON);
    await primary.stop();
    await vi.waitFor(async () => expect(await behind.run()).toMatchObject(warned), SOON);
    await primary.start();
    await vi.waitFor(async () => expect((await behind.run()).status).toBe('pass'), SOON);
  });

  it('a replica that never had a connection does not know its lag', async () => {
    const lonely = await startRedis({ replicaOf: await findFreePort() });
    cleanups.push(() => lonely.dispose());
    expect(await check(lonely.port).run()).toMatchObject({ status: 'fail', code: 'lag_unknown' });
  });
});

describe('replicationLag on a real pair of PostgreSQL', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let onPrimary: pg.Client;
  let onStandby: pg.Client;

  async function connect(server: PostgresServer) {
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  beforeAll(async () => {
    primary = await startPostgres();
    standby = await startPostgres({ standbyOf: primary });
    [onPrimary, onStandby] = await Promise.all([connect(primary), connect(standby)]);
    await onPrimary.query('CREATE TABLE written (n int)');
    // Before it has replayed a transaction, a standby knows no time to compare with.
    await vi.waitFor(() => onStandby.query('SELECT FROM written'), SOON);
  });
  afterAll(async () => {
    await onPrimary.end().catch(() => {});
    await onStandby.end().catch(() => {});
    await Promise.all([primary.dispose(), standby.dispose()]);
  });

  const check = () => {
    const read = async () => {
      const { rows } = await onStandby.query<{ seconds: number }>(POSTGRES_REPLICATION_LAG);
      return rows[0]?.seconds;
    };
    return harness(replicationLag(read, { warnAboveMs: 500 }), systemClock);
  };
  const passes = { status: 'pass', observedValue: 0 };
  const warns = { status: 'warn', code: 'replica_behind' };

  it('C10: follows, is behind while replay is paused, catches up', async () => {
    const behind = check();
    await vi.waitFor(async () => expect(await behind.run()).toMatchObject(passes), SOON);
    await onStandby.query('SELECT pg_wal_replay_pause()');
    await onPrimary.query('INSERT INTO written VALUES (1)');
    await vi.waitFor(async () => expect(await behind.run()).toMatchObject(warns), SOON);
    await onStandby.query('SELECT pg_wal_replay_resume()');
    await vi.waitFor(async () => expect(await behind.run()).toMatchObject(passes), SOON);
  });

  it('C10: the primary is lost: warns with a lag that grows, recovers without help', async () => {
    const behind = check();
    await vi.waitFor(async () => expect(await behind.run()).toMatchObject(passes), SOON);
    await primary.stop();
    await vi.waitFor(async () => expect(await behind.run()).toMatchObject(warns), SOON);
    await primary.start();
    await vi.waitFor(async () => expect(await behind.run()).toMatchObject(passes), SOON);
  });
});
