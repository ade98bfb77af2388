import mysql from 'mysql';
import mysql2 from 'mysql2';
import mysql2Promise from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type MysqlConnectionLike,
  type MysqlPoolLike,
  mysqlPool,
  mysqlQuery,
} from '../../src/checks/mysql.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { type CheckHarness, harness } from '../support/run-check.js';
import { type MariadbServer, startMariadb } from '../support/servers/mariadb.js';

const TIMEOUT_MS = 400;

let server: MariadbServer;
let observer: mysql2Promise.Connection;
const open: { dispose(): unknown }[] = [];

beforeAll(async () => {
  server = await startMariadb();
  observer = await mysql2Promise.createConnection(server.url);
});

afterEach(async () => {
  for (const each of open.splice(0)) await each.dispose();
});

afterAll(async () => {
  observer.destroy();
  await server.dispose();
});

const config = () => ({
  host: '127.0.0.1',
  port: server.port,
  user: server.user,
  password: server.password,
  database: 'hale',
});

const DRIVERS: [string, () => MysqlConnectionLike][] = [
  ['mysql2', () => mysql2.createConnection(config())],
  ['mysql', () => mysql.createConnection(config())],
];

function started(connect: () => MysqlConnectionLike, query = 'SELECT 1'): CheckHarness {
  const check = harness(mysqlQuery(connect, { query }), systemClock, TIMEOUT_MS);
  open.push(check);
  return check;
}

/** Connections of the user but the observer's own. */
async function connectionIds(): Promise<number[]> {
  const text =
    'SELECT id FROM information_schema.processlist WHERE user = ? AND id <> CONNECTION_ID()';
  const [rows] = await observer.query<mysql2Promise.RowDataPacket[]>(text, [server.user]);
  return rows.map((row) => row['id'] as number);
}

describe.each(DRIVERS)('mysqlQuery with %s against a real MariaDB', (_, connect) => {
  it('a failing statement fails with the text of the server', async () => {
    const outcome = await started(connect, 'SELECT * FROM no_such_table').run();
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toMatch(/Table 'hale.no_such_table' doesn't exist/);
  });

  it('the server ends the idle connection: the next run passes', async () => {
    const check = started(connect);
    expect((await check.run()).status).toBe('pass');
    const [first] = await connectionIds();
    await observer.query(`KILL ${first}`);
    await vi.waitFor(async () => expect(await connectionIds()).toEqual([]));
    // The end has to arrive here, too; until then the run that meets it fails.
    await vi.waitFor(async () => expect((await check.run()).status).toBe('pass'));
    expect(await connectionIds()).not.toContain(first);
    expect(await connectionIds()).toHaveLength(1);
  });

  it('C2: a hundred and fifty aborted runs leave no connection at the server', async () => {
    const check = mysqlQuery(connect, { query: 'SELECT SLEEP(0.05)' });
    open.push({ dispose: () => check.dispose?.() });
    for (let run = 0; run < 150; run += 1) {
      const controller = new AbortController();
      // Aborts at every stage in turn: before the socket is open, in the handshake, in the query.
      const timer = setTimeout(() => controller.abort(new Error('aborted')), run % 15);
      await expect(check.run(controller.signal)).rejects.toThrow('aborted');
      clearTimeout(timer);
    }
    await vi.waitFor(async () => expect(await connectionIds()).toEqual([]), { timeout: 5_000 });
  });
});

describe('mysqlQuery with connection.promise() of mysql2', () => {
  it('uses what it wraps', async () => {
    const check = started(
      () => mysql2.createConnection(config()).promise() as unknown as MysqlConnectionLike,
    );
    expect((await check.run()).status).toBe('pass');
    await check.dispose();
    await vi.waitFor(async () => expect(await connectionIds()).toEqual([]));
  });
});

/** What a service does with a pool, whichever library it is from. */
interface PoolUser {
  readonly pool: MysqlPoolLike;
  query(sql: string): Promise<unknown>;
  take(): Promise<{ release(): unknown }>;
  end(): Promise<unknown>;
}

type Callback = (error: unknown, result?: unknown) => void;
const promised = <T>(work: (done: Callback) => unknown): Promise<T> =>
  new Promise((resolve, reject) => {
    work((error, result) =>
      error === null || error === undefined ? resolve(result as T) : reject(error as Error),
    );
  });

/** What the pools of both libraries have in common. */
type CallbackPool = MysqlPoolLike & {
  query(sql: string, done: Callback): unknown;
  getConnection(done: Callback): unknown;
  end(done: Callback): unknown;
};

function callbackUser(pool: CallbackPool): PoolUser {
  return {
    pool,
    query: (sql) => promised((done) => pool.query(sql, done)),
    take: () => promised((done) => pool.getConnection(done)),
    end: () => promised((done) => pool.end(done)),
  };
}

function promiseUser(pool: mysql2Promise.Pool): PoolUser {
  return {
    pool,
    query: (sql) => pool.query(sql),
    take: () => pool.getConnection(),
    end: () => pool.end(),
  };
}

const LIMIT = { connectionLimit: 2 };
const POOLS: [string, () => PoolUser][] = [
  ['mysql2', () => callbackUser(mysql2.createPool({ ...config(), ...LIMIT }))],
  ['mysql2/promise', () => promiseUser(mysql2Promise.createPool({ ...config(), ...LIMIT }))],
  ['mysql', () => callbackUser(mysql.createPool({ ...config(), ...LIMIT }))],
];

describe.each(POOLS)('mysqlPool with %s against a real MariaDB', (_, create) => {
  function pooled(options: Parameters<typeof mysqlPool>[1] = {}) {
    const user = create();
    const check = harness(mysqlPool(user.pool, options), systemClock, TIMEOUT_MS);
    open.push(check, { dispose: () => user.end().catch(() => {}) });
    return { ...user, check };
  }

  it('C7: never takes a connection', async () => {
    const { check } = pooled();
    expect(await check.run()).toMatchObject({
      status: 'pass',
      observedValue: { used: 0, total: 0, idle: 0, waiting: 0, max: 2 },
    });
    expect(await connectionIds()).toEqual([]);
  });

  it('C8: a pool that slow queries saturate stays at warn, without waiting', async () => {
    const { query, check } = pooled({ noReturnFailMs: 400 });
    const queries = Array.from({ length: 12 }, () => query('SELECT SLEEP(0.2)'));
    const statuses = new Set<string>();
    for (;;) {
      const outcome = await check.run();
      if ((outcome.observedValue as { waiting: number }).waiting === 0) break;
      statuses.add(outcome.status);
      expect(outcome.durationMs).toBeLessThan(50);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await Promise.all(queries);
    expect([...statuses]).toEqual(['warn']);
    expect(await check.run()).toMatchObject({ status: 'pass' });
  });

  it('C8: a pool whose connections never come back fails, and recovers when they do', async () => {
    const { take, check } = pooled({ noReturnFailMs: 400 });
    const held = [await take(), await take()];
    const waiting = take();
    expect(await check.run()).toMatchObject({ status: 'warn', observedValue: { waiting: 1 } });
    await vi.waitFor(async () =>
      expect(await check.run()).toMatchObject({ status: 'fail', code: 'pool_exhausted' }),
    );
    held[0]?.release();
    (await waiting).release();
    held[1]?.release();
    expect(await check.run()).toMatchObject({ status: 'pass' });
  });

  it('an ended pool fails', async () => {
    const { end, check } = pooled();
    await end();
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'pool_ended' });
  });
});
