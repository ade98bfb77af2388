import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { postgresPool, postgresQuery } from '../../src/checks/postgres.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { type FaultProxy, createFaultProxy } from '../../src/testing/fault-proxy.js';
import { type CheckHarness, harness } from '../support/run-check.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';

const TIMEOUT_MS = 500;
const APPLICATION = 'hale-check';
// Room for a loaded machine, and far below what a dead socket would take.
const WITHIN_MS = TIMEOUT_MS + 300;

let server: PostgresServer;
let proxy: FaultProxy;
let observer: pg.Client;
const open: { dispose(): Promise<void> }[] = [];

async function observe() {
  observer = new pg.Client({ connectionString: server.url });
  observer.on('error', () => {});
  await observer.connect();
}

beforeAll(async () => {
  server = await startPostgres({ maxConnections: 20 });
  proxy = await createFaultProxy({ target: { host: '127.0.0.1', port: server.port } });
  await observe();
});

afterEach(async () => {
  for (const each of open.splice(0)) await each.dispose();
  await proxy.set({ kind: 'ok' });
});

afterAll(async () => {
  await observer.end().catch(() => {});
  await proxy.close();
  await server.dispose();
});

/** A deep check through the proxy, or straight to the server. */
function deepCheck(port = proxy.port, password = server.password, query?: string): CheckHarness {
  const config = {
    host: '127.0.0.1',
    port,
    user: 'hale',
    database: 'postgres',
    password,
    application_name: APPLICATION,
  };
  const check = postgresQuery(() => new pg.Client(config), query === undefined ? {} : { query });
  const started = harness(check, systemClock, TIMEOUT_MS);
  open.push(started);
  return started;
}

async function serverConnections(): Promise<number> {
  const text = 'SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1';
  const { rows } = await observer.query<{ n: number }>(text, [APPLICATION]);
  return rows[0]?.n ?? -1;
}

async function outcomeInTime(check: CheckHarness) {
  const outcome = await check.run();
  expect(outcome.durationMs).toBeLessThan(WITHIN_MS);
  return outcome;
}

const statusOf = async (check: CheckHarness) => (await outcomeInTime(check)).status;

describe('postgresQuery against a real PostgreSQL', () => {
  it('C10: frozen before it has connected: verdict within the deadline, recovers', async () => {
    const check = deepCheck(server.port);
    server.freeze();
    expect(await statusOf(check)).toBe('fail');
    expect(await statusOf(check)).toBe('fail');
    server.thaw();
    expect(await statusOf(check)).toBe('pass');
    await vi.waitFor(async () => expect(await serverConnections()).toBe(1));
  });

  it('C10: slow below the deadline passes', async () => {
    const check = deepCheck();
    expect(await statusOf(check)).toBe('pass');
    await proxy.set({ kind: 'slow', latencyMs: 200 });
    const outcome = await check.run();
    expect(outcome.status).toBe('pass');
    expect(outcome.durationMs).toBeGreaterThan(150);
  });

  it('E7: wrong password: fails with the reason and without the password', async () => {
    const outcome = await outcomeInTime(deepCheck(server.port, 'hunter2-is-wrong'));
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toContain('password authentication failed');
    expect(JSON.stringify(outcome)).not.toContain('hunter2');
  });

  it('a failing statement fails with the text of the server', async () => {
    const check = deepCheck(server.port, server.password, 'SELECT * FROM no_such_table');
    const outcome = await outcomeInTime(check);
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toContain('relation "no_such_table" does not exist');
  });

  it('the server ends the idle connection: the next run passes', async () => {
    const clients: pg.Client[] = [];
    const check = postgresQuery(() => {
      clients.push(new pg.Client({ connectionString: server.url }));
      return clients.at(-1) as pg.Client;
    });
    const started = harness(check, systemClock, TIMEOUT_MS);
    open.push(started);
    expect(await statusOf(started)).toBe('pass');
    const [first] = clients as [pg.Client & { processID: number }];
    const ended = new Promise<void>((resolve) => first.on('end', resolve));
    await observer.query('SELECT pg_terminate_backend($1)', [first.processID]);
    await ended;
    expect(await statusOf(started)).toBe('pass');
    expect(clients).toHaveLength(2);
  });

  it('C2: three hundred aborted runs leave no connection at the server', async () => {
    const config = { connectionString: server.url, application_name: APPLICATION };
    const check = postgresQuery(() => new pg.Client(config), { query: 'SELECT pg_sleep(0.05)' });
    open.push({ dispose: async () => check.dispose?.() });
    for (let run = 0; run < 300; run += 1) {
      const controller = new AbortController();
      // Aborts at every stage in turn: before the socket is open, in the handshake, in the query.
      const timer = setTimeout(() => controller.abort(new Error('aborted')), run % 15);
      await expect(check.run(controller.signal)).rejects.toThrow('aborted');
      clearTimeout(timer);
    }
    await vi.waitFor(async () => expect(await serverConnections()).toBe(0), { timeout: 5_000 });
  });

  it('dispose during a hanging run ends it', async () => {
    const check = deepCheck();
    await proxy.set({ kind: 'hang' });
    const run = check.run();
    await check.dispose();
    expect(await run).toMatchObject({ status: 'fail' });
    expect((await run).durationMs).toBeLessThan(TIMEOUT_MS);
    await vi.waitFor(() => expect(proxy.connections).toBe(0));
  });
});

describe('postgresPool against a real PostgreSQL', () => {
  function pooled(options: Parameters<typeof postgresPool>[1] = {}) {
    const pool = new pg.Pool({ connectionString: server.url, max: 2 });
    pool.on('error', () => {});
    const check = harness(postgresPool(pool, options), systemClock, TIMEOUT_MS);
    open.push(check, { dispose: async () => (pool.ended ? undefined : pool.end()) });
    return { pool, check };
  }

  it('C7: never takes a connection', async () => {
    const { pool, check } = pooled();
    expect(await check.run()).toMatchObject({ status: 'pass' });
    expect(pool.totalCount).toBe(0);
  });

  it('C8: a pool that slow queries saturate stays at warn, case 7: without waiting', async () => {
    const { pool, check } = pooled({ noReturnFailMs: 400 });
    const queries = Array.from({ length: 16 }, () => pool.query('SELECT pg_sleep(0.2)'));
    const statuses = new Set<string>();
    await vi.waitFor(() => expect(pool.waitingCount).toBeGreaterThan(0));
    while (pool.waitingCount > 0) {
      const outcome = await check.run();
      statuses.add(outcome.status);
      expect(outcome.durationMs).toBeLessThan(50);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await Promise.all(queries);
    expect([...statuses]).toEqual(['warn']);
    expect(await check.run()).toMatchObject({ status: 'pass' });
  });

  it('C8: a pool whose connections never come back fails, and recovers when they do', async () => {
    const { pool, check } = pooled({ noReturnFailMs: 400 });
    const held = [await pool.connect(), await pool.connect()];
    const waiting = pool.connect();
    await vi.waitFor(() => expect(pool.waitingCount).toBe(1));
    expect(await check.run()).toMatchObject({ status: 'warn' });
    await vi.waitFor(async () =>
      expect(await check.run()).toMatchObject({ status: 'fail', code: 'pool_exhausted' }),
    );
    held[0]?.release();
    (await waiting).release();
    held[1]?.release();
    expect(await check.run()).toMatchObject({ status: 'pass' });
  });

  it('C8: slow queries on every connection: warns until nothing has come back in time', async () => {
    const { pool, check } = pooled({ noReturnFailMs: 400 });
    const queries = Array.from({ length: 3 }, () => pool.query('SELECT pg_sleep(0.8)'));
    await vi.waitFor(() => expect(pool.waitingCount).toBe(1));
    const startedAt = performance.now();
    const statuses: string[] = [];
    while (performance.now() - startedAt < 350) {
      statuses.push((await check.run()).status);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(new Set(statuses)).toEqual(new Set(['warn']));
    await vi.waitFor(async () =>
      expect(await check.run()).toMatchObject({ status: 'fail', code: 'pool_exhausted' }),
    );
    await Promise.all(queries);
    expect(await check.run()).toMatchObject({ status: 'pass' });
  });

  it('an ended pool fails', async () => {
    const { pool, check } = pooled();
    await pool.end();
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'pool_ended' });
  });
});
