import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import Libsql from 'libsql';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FenceClaim } from '../../../src/lease/guards/claim.js';
import { createHttpFence, fenceHeaders } from '../../../src/lease/guards/http.js';
import {
  type SqliteGuardHandle,
  postgresGuard,
  redisGuard,
  sqlFence,
  sqliteGuard,
} from '../../../src/lease-guards.js';
import { createFaultProxy } from '../../../src/testing/fault-proxy.js';
import { type MariadbServer, startMariadb } from '../../support/servers/mariadb.js';
import type { ManagedServer } from '../../support/servers/managed-server.js';
import { type PostgresServer, startPostgres } from '../../support/servers/postgres.js';
import { startRedis } from '../../support/servers/redis.js';
import { describeGuard, fenced, halfWay, label } from './guard-contract.js';

let postgres: PostgresServer;
let mariadb: MariadbServer;
let redis: ManagedServer;

beforeAll(async () => {
  [postgres, mariadb, redis] = await Promise.all([startPostgres(), startMariadb(), startRedis()]);
});

afterAll(async () => {
  await Promise.all([postgres, mariadb, redis].map((server) => server?.dispose()));
});

let resources = 0;
const nextName = () => `log_${(resources += 1)}`;

describeGuard('PostgreSQL', async () => {
  const name = nextName();
  const pool = new pg.Pool({ connectionString: postgres.url, max: 20 });
  const guard = postgresGuard();
  await pool.query(guard.createTable);
  await pool.query(`CREATE TABLE ${name} (id bigserial, line text)`);
  const write = async (claim: FenceClaim, spoil: () => void): Promise<void> => {
    const client = await pool.connect();
    try {
      await guard.write(client, name, claim, async () => {
        await client.query(`INSERT INTO ${name} (line) VALUES ($1)`, [label(claim)]);
        spoil();
      });
    } finally {
      client.release();
    }
  };
  return {
    write: (claim) => write(claim, () => {}),
    fail: (claim) => write(claim, halfWay),
    written: async () =>
      (await pool.query<{ line: string }>(`SELECT line FROM ${name} ORDER BY id`)).rows.map(
        ({ line }) => line,
      ),
    close: () => pool.end(),
  };
});

describeGuard('MariaDB, by statement,', async () => {
  const name = nextName();
  const pool = mysql.createPool({ uri: mariadb.url, connectionLimit: 20 });
  const fence = sqlFence({ dialect: 'mysql' });
  await pool.query(fence.createTable);
  await pool.query(`CREATE TABLE ${name} (id SERIAL, line TEXT) ENGINE = InnoDB`);
  const write = async (claim: FenceClaim, spoil: () => void): Promise<void> => {
    const statements = fence.claim(name, claim);
    const connection = await pool.getConnection();
    try {
      await connection.beginTransaction();
      let rows: unknown = [];
      for (const { text, values } of statements) [rows] = await connection.query(text, [...values]);
      if ((rows as unknown[]).length === 0)
        throw Object.assign(new Error('too old'), { code: 'HALE_FENCED' });
      await connection.query(`INSERT INTO ${name} (line) VALUES (?)`, [label(claim)]);
      spoil();
      await connection.commit();
    } catch (error) {
      await connection.rollback();
      throw error;
    } finally {
      connection.release();
    }
  };
  return {
    write: (claim) => write(claim, () => {}),
    fail: (claim) => write(claim, halfWay),
    written: async () => {
      const [rows] = await pool.query(`SELECT line FROM ${name} ORDER BY id`);
      return (rows as { line: string }[]).map(({ line }) => line);
    },
    close: () => pool.end(),
  };
});

describeGuard('SQLite', async () => {
  const database = new Libsql(':memory:') as unknown as SqliteGuardHandle & { close(): void };
  database.exec('CREATE TABLE log (id INTEGER PRIMARY KEY, line TEXT)');
  const guard = sqliteGuard(database);
  const write = async (claim: FenceClaim, spoil: () => void): Promise<void> =>
    guard.write('log', claim, () => {
      database.prepare('INSERT INTO log (line) VALUES (?1)').all(label(claim));
      spoil();
    });
  return {
    write: (claim) => write(claim, () => {}),
    fail: (claim) => write(claim, halfWay),
    written: async () => {
      const rows = database.prepare(`SELECT line FROM log WHERE ?1 <> '' ORDER BY id`).all('x');
      return (rows as { line: string }[]).map(({ line }) => line);
    },
    close: () => database.close(),
  };
});

it('the work of the SQLite guard must not be asynchronous: its transaction is rolled back', async () => {
  const database = new Libsql(':memory:') as unknown as SqliteGuardHandle & { close(): void };
  const guard = sqliteGuard(database);
  const work = () => Promise.reject(new Error('too late'));
  expect(() => guard.write('log', { token: 5n, holder: 'a' }, work)).toThrow(/asynchronous/);
  expect(guard.write('log', { token: 1n, holder: 'a' }, () => 'written')).toBe('written');
  database.close();
});

const redisClients = {
  ioredis: async () => {
    const client = new Redis(redis.port, '127.0.0.1');
    return { client, close: () => client.disconnect() };
  },
  'node-redis': async () => {
    const client = createClient({ url: redis.url });
    await client.connect();
    return { client, close: () => client.destroy() };
  },
};

for (const [kind, connect] of Object.entries(redisClients))
  describeGuard(`Redis with ${kind}`, async () => {
    const name = nextName();
    const { client, close } = await connect();
    const guard = redisGuard(client);
    return {
      write: async (claim) =>
        void (await guard.run(name, claim, ['RPUSH', name, label(claim)], [name])),
      // The answer of Redis to a command that is wrong comes back as an error.
      fail: (claim) =>
        guard.run(name, claim, ['RPUSH', name]).then(
          () => {},
          () => halfWay(),
        ),
      written: async () => {
        const reader = { token: 2n ** 62n, holder: 'reader' };
        return (await redisGuard(client).run(`${name} reader`, reader, [
          'LRANGE',
          name,
          '0',
          '-1',
        ])) as string[];
      },
      close,
    };
  });

it('H4: a Redis that is frozen is waited for no longer than the time-out', async () => {
  const { client, close } = await redisClients.ioredis();
  await client.ping();
  const guard = redisGuard(client, { timeoutMs: 200 });
  redis.freeze();
  try {
    const written = guard.run(nextName(), { token: 1n, holder: 'a' }, ['PING']);
    await expect(written).rejects.toEqual(fenced('HALE_GUARD_TIMEOUT'));
  } finally {
    redis.thaw();
    close();
  }
});

it('H4: a PostgreSQL connection that says nothing is waited for no longer than the time-out', async () => {
  const proxy = await createFaultProxy({ target: { host: '127.0.0.1', port: postgres.port } });
  const url = new URL(postgres.url);
  url.port = String(proxy.port);
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => {});
  try {
    await client.connect();
    await proxy.set({ kind: 'hang' });
    const work = (): Promise<void> => Promise.reject(new Error('not reached'));
    const guard = postgresGuard({ timeoutMs: 200 });
    const written = guard.write(client, nextName(), { token: 1n, holder: 'a' }, work);
    await expect(written).rejects.toEqual(fenced('HALE_GUARD_TIMEOUT'));
  } finally {
    await proxy.close();
    await client.end().catch(() => {});
  }
});

describeGuard('HTTP', async () => {
  const lines: string[] = [];
  const fence = createHttpFence();
  const guarded = fence.middleware('log');
  const server = createServer((request, response) =>
    guarded(request, response, () => {
      const line = String(request.headers['x-line']);
      if (request.url === '/fail') {
        response.writeHead(500).end('half-way');
        return;
      }
      // The write takes a moment, in which others arrive.
      setImmediate(() => {
        lines.push(line);
        response.end('written');
      });
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = async (claim: FenceClaim, path: string): Promise<void> => {
    const headers = { ...fenceHeaders(claim), 'x-line': label(claim) };
    for (;;) {
      const { status, ok } = await fetch(`${url}${path}`, { method: 'POST', headers });
      if (ok) return;
      if (status === 412) throw Object.assign(new Error('too old'), { code: 'HALE_FENCED' });
      if (status === 500) halfWay();
      // 503: an older write is under way.
      expect(status).toBe(503);
    }
  };
  return {
    write: (claim) => send(claim, '/'),
    fail: (claim) => send(claim, '/fail'),
    written: async () => lines,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
});
