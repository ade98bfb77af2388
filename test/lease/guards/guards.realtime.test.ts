import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3 } from '@aws-sdk/client-s3';
import { Redis } from 'ioredis';
import Libsql from 'libsql';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FenceClaim, isAccepted } from '../../../src/lease/guards/claim.js';
import { etcdGuard } from '../../../src/lease/guards/etcd.js';
import { createHttpFence, fenceHeaders } from '../../../src/lease/guards/http.js';
import { redisGuard } from '../../../src/lease/guards/redis.js';
import { s3Guard } from '../../../src/lease/guards/s3.js';
import { postgresGuard, sqlFence } from '../../../src/lease/guards/sql.js';
import { type SqliteGuardHandle, sqliteGuard } from '../../../src/lease/guards/sqlite.js';
import { type S3Server, type S3ServerOptions, startS3Server } from '../../support/s3-server.js';
import { startEtcd } from '../../support/servers/etcd.js';
import { type MariadbServer, startMariadb } from '../../support/servers/mariadb.js';
import type { ManagedServer } from '../../support/servers/managed-server.js';
import { type PostgresServer, startPostgres } from '../../support/servers/postgres.js';
import { startRedis } from '../../support/servers/redis.js';

/** A resource that keeps every write it has accepted, in order, as `token holder`. */
interface Resource {
  /** Writes under a claim; rejects with HALE_FENCED when it is too old. */
  write(claim: FenceClaim): Promise<void>;
  /** Makes a write that fails half-way, after its claim was accepted. */
  fail(claim: FenceClaim): Promise<void>;
  written(): Promise<string[]>;
  close(): unknown;
}

const BIG = 2n ** 53n;
const label = ({ token, holder }: FenceClaim) => `${token} ${holder}`;
const fenced = (code: string) => expect.objectContaining({ code });

/** What every guard must do; `open` gives a fresh resource and clients of it. */
function describeGuard(name: string, open: () => Promise<Resource>): void {
  const use = async (work: (resource: Resource) => Promise<void>): Promise<void> => {
    const resource = await open();
    try {
      await work(resource);
    } finally {
      await resource.close();
    }
  };

  describe(`${name} guard`, () => {
    it('H4: rejects an older token, and the same one of another holder, and writes nothing then', () =>
      use(async (resource) => {
        const claims: [bigint, string, boolean][] = [
          [9n, 'a', true],
          [9n, 'a', true],
          [8n, 'a', false],
          [9n, 'b', false],
          [10n, 'b', true],
          [9n, 'a', false],
          [BIG, 'b', true],
          [BIG + 1n, 'b', true],
          [BIG, 'b', false],
        ];
        for (const [token, holder, accepted] of claims) {
          const outcome = resource.write({ token, holder }).then(
            () => 'accepted',
            ({ code }: { code?: string }) => code,
          );
          expect(await outcome).toBe(accepted ? 'accepted' : 'HALE_FENCED');
        }
        const accepted = claims.flatMap(([token, holder, ok]) =>
          ok ? [`${token} ${holder}`] : [],
        );
        expect(await resource.written()).toEqual(accepted);
      }));

    it('H4: of writes that race, none is applied after a newer one', () =>
      use(async (resource) => {
        const claims = Array.from({ length: 60 }, (_, index) => ({
          token: BigInt(1 + ((index * 7) % 12)),
          holder: `holder ${index % 2}`,
        }));
        const outcomes = await Promise.allSettled(claims.map((claim) => resource.write(claim)));
        const written = (await resource.written()).map((line) => {
          const [token = '', ...holder] = line.split(' ');
          return { token: BigInt(token), holder: holder.join(' ') };
        });
        const applied = outcomes.filter(({ status }) => status === 'fulfilled');
        expect(written).toHaveLength(applied.length);
        expect(outcomes.length - applied.length).toBeGreaterThan(0);
        const stale = written.filter((claim, index) => !isAccepted(claim, written[index - 1]));
        expect(stale.map(label)).toEqual([]);
      }));

    it('a write that fails leaves nothing behind, and the resource goes on', () =>
      use(async (resource) => {
        await expect(resource.fail({ token: 1n, holder: 'a' })).rejects.toThrow('half-way');
        await resource.write({ token: 1n, holder: 'a' });
        expect(await resource.written()).toEqual(['1 a']);
      }));

    it.each([
      { token: 1 as never, holder: 'a' },
      { token: -1n, holder: 'a' },
      { token: 1n, holder: '' },
    ])('refuses a claim that is none', (claim) =>
      use(async (resource) => {
        await expect(resource.write(claim)).rejects.toEqual(fenced('HALE_OPTION_INVALID'));
      }),
    );
  });
}

const halfWay = (): never => {
  throw new Error('half-way');
};

let postgres: PostgresServer;
let mariadb: MariadbServer;
let redis: ManagedServer;
let etcd: ManagedServer;
let s3: S3Server;

beforeAll(async () => {
  [postgres, mariadb, redis, etcd, s3] = await Promise.all([
    startPostgres(),
    startMariadb(),
    startRedis(),
    startEtcd(),
    startS3Server(),
  ]);
});

afterAll(async () => {
  await Promise.all([postgres, mariadb, redis, etcd].map((server) => server?.dispose()));
  await s3?.close();
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

/** Asks etcd itself. */
async function etcdRange(prefix: string): Promise<{ value: string; mod_revision: string }[]> {
  const [key, range_end] = [prefix, `${prefix}~`].map((text) =>
    Buffer.from(text).toString('base64'),
  );
  const body = JSON.stringify({ key, range_end });
  const answer = await fetch(`${etcd.url}/v3/kv/range`, { method: 'POST', body });
  const { kvs = [] } = (await answer.json()) as { kvs?: { value: string; mod_revision: string }[] };
  return kvs.toSorted((one, two) => Number(one.mod_revision) - Number(two.mod_revision));
}

describeGuard('etcd', async () => {
  const name = nextName();
  const guard = etcdGuard(etcd.url);
  let writes = 0;
  return {
    write: async (claim) => {
      const put = `${name}/${(writes += 1)}`;
      const before = { delete: `${name} is no key` };
      const revision = await guard.write(name, claim, [{ put, value: label(claim) }, before]);
      expect(revision).toBeGreaterThan(0n);
    },
    // etcd refuses to write a key twice in one transaction.
    fail: (claim) => {
      const put = { put: `${name}/twice`, value: 'x' };
      return guard.write(name, claim, [put, put]).then(
        () => {},
        () => halfWay(),
      );
    },
    written: async () =>
      (await etcdRange(`${name}/`)).map(({ value }) => Buffer.from(value, 'base64').toString()),
    close: () => guard.close(),
  };
});

describe('etcdGuard', () => {
  it('ends with the signal of a grant, and guards nothing it cannot read', async () => {
    const name = nextName();
    const guard = etcdGuard(etcd.url, { prefix: 'other/' });
    const claim = { token: 1n, holder: 'a' };
    try {
      const ended = { ...claim, signal: AbortSignal.abort(new Error('the lease is gone')) };
      await expect(guard.write(name, ended, [])).rejects.toThrow('the lease is gone');
      expect(await etcdRange(`other/${name}`)).toEqual([]);
      await guard.write(name, claim, [{ put: `other/${name} spoilt`, value: 'something' }]);
      await expect(guard.write(`${name} spoilt`, claim, [])).rejects.toThrow(/something else/);
    } finally {
      guard.close();
    }
  });

  it('refuses what it cannot use', () => {
    expect(() => etcdGuard([])).toThrow(/etcdGuard.url must be URLs of one protocol/);
    expect(() => etcdGuard('http://x', { prefix: '' })).toThrow(/etcdGuard.prefix/);
  });
});

const s3Client = (url: string) =>
  new S3({
    endpoint: url,
    region: 'eu-central-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: 'x', secretAccessKey: 'y' },
  });

describeGuard('S3', async () => {
  const name = nextName();
  const client = s3Client(s3.url);
  const guard = s3Guard(client, { bucket: 'shop', prefix: 'state/' });
  return {
    write: (claim) => guard.write(name, claim, { line: label(claim) }),
    fail: (claim) => guard.write(name, claim, 'spoil').catch(() => halfWay()),
    written: async () =>
      s3
        .stored(`/shop/state/${name}`)
        .map((body) => (JSON.parse(body) as { value: { line: string } }).value.line),
    close: () => client.destroy(),
  };
});

describe('s3Guard', () => {
  const claim = { token: 7n, holder: 'a' };
  const use = async (
    options: S3ServerOptions,
    work: (guard: ReturnType<typeof s3Guard>, client: S3, server: S3Server) => Promise<void>,
  ): Promise<void> => {
    const server = await startS3Server(options);
    const client = s3Client(server.url);
    try {
      await work(s3Guard(client, { bucket: 'shop' }), client, server);
    } finally {
      client.destroy();
      await server.close();
    }
  };

  it('reads what was written last, and by whom', () =>
    use({}, async (guard) => {
      expect(await guard.read('manifest')).toBe(undefined);
      await guard.write('manifest', claim, { part: 'orders-7.parquet' });
      expect(await guard.read('manifest')).toEqual({
        ...claim,
        value: { part: 'orders-7.parquet' },
      });
    }));

  it('H4: the same content under a newer token is another object: ETags are made of content alone', () =>
    use({}, async (guard, client) => {
      await guard.write('manifest', claim, 'same');
      const before = await client.getObject({ Bucket: 'shop', Key: 'manifest' });
      await guard.write('manifest', { token: 8n, holder: 'b' }, 'same');
      const after = await client.getObject({ Bucket: 'shop', Key: 'manifest' });
      expect(after.ETag).not.toBe(before.ETag);
      await expect(guard.write('manifest', claim, 'old')).rejects.toEqual(fenced('HALE_FENCED'));
    }));

  it('says so when a server ignores conditions, each time', () =>
    use({ conditions: false }, async (guard) => {
      await expect(guard.write('manifest', claim, 1)).rejects.toThrow(/ignores If-Match/);
      await expect(guard.write('manifest', claim, 1)).rejects.toEqual(fenced('HALE_STATE'));
    }));

  it('asks for the proof once', () =>
    use({}, async (_, client) => {
      const asked: string[] = [];
      const counting = {
        getObject: (input: { Bucket: string; Key: string }) => client.getObject(input),
        putObject: (input: Parameters<Parameters<typeof s3Guard>[0]['putObject']>[0]) => {
          asked.push(input.IfMatch ?? `none match ${input.IfNoneMatch}`);
          return client.putObject(input);
        },
      };
      const guard = s3Guard(counting, { bucket: 'shop' });
      await guard.write('manifest', claim, 1);
      expect(asked.splice(0)).toEqual(['none match *', '"hale"']);
      await guard.write('manifest', claim, 2);
      expect(asked).toEqual([expect.stringMatching(/^"[0-9a-f]{32}"$/)]);
    }));

  it('leaves alone what was not written through it, and passes on what the server refuses', () =>
    use({}, async (guard, client) => {
      await client.putObject({ Bucket: 'shop', Key: 'theirs', Body: '{"token":"x"}' });
      await expect(guard.write('theirs', claim, 1)).rejects.toThrow(
        /not written through the guard/,
      );
      await expect(guard.read('theirs')).rejects.toThrow(/"theirs" was not written through/);
      await expect(guard.write('manifest', claim, 'spoil')).rejects.toMatchObject({
        $metadata: { httpStatusCode: 500 },
      });
    }));

  it('refuses what it cannot use', () => {
    expect(() => s3Guard({} as never, { bucket: 'x' })).toThrow(/s3Guard.client must be a client/);
    const client = s3Client('http://127.0.0.1:1');
    expect(() => s3Guard(client, { bucket: '' })).toThrow(/s3Guard.bucket/);
    client.destroy();
  });
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
