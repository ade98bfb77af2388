import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type PostgresPoolOptions,
  postgresPool,
  postgresQuery,
} from '../../src/checks/postgres.js';
import { silentLogger } from '../../src/core/logger.js';
import { createHealth } from '../../src/create-health.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { type FaultProxy, createFaultProxy } from '../../src/testing/fault-proxy.js';
import { harness } from '../support/run-check.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';
import { findFreePort } from '../support/servers/server-process.js';

let server: PostgresServer;
let proxy: FaultProxy;
const open: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await startPostgres();
  proxy = await createFaultProxy({ target: server.address });
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});
afterAll(async () => {
  await proxy.close();
  await server.dispose();
});

const fresh = () => postgresQuery(() => new pg.Client({ connectionString: server.url }));

/** A pool of two connections whose peer has vanished without a word, as after a failover, and a queue of requests. */
async function deadPool(options: PostgresPoolOptions) {
  const url = new URL(server.url);
  url.port = String(proxy.port);
  const pool = new pg.Pool({ connectionString: url.href, max: 2 });
  pool.on('error', () => {});
  await Promise.all([pool.query('SELECT 1'), pool.query('SELECT 1')]);
  await proxy.set({ kind: 'hang' });
  const lost = [1, 2, 3].map(() => pool.query('SELECT 1').catch(() => {}));
  await vi.waitFor(() => expect(pool.waitingCount).toBe(1));
  open.push(async () => {
    await proxy.set({ kind: 'ok' });
    await Promise.all(lost);
    await pool.end();
  });
  return postgresPool(pool, options);
}

describe('a pool whose connections are dead for good', () => {
  it('C8: is stuck when a fresh connection works, and leaves none of these', async () => {
    const check = await deadPool({ noReturnFailMs: 300, stuck: { fresh } });
    const before = server.connections() ?? 0;
    const started = harness(check, systemClock, 500);
    expect(await started.run()).toMatchObject({ status: 'warn', code: 'pool_busy' });
    const output = expect.stringMatching(/came back for \d+ ms.*; a fresh connection works$/);
    const stuck = { status: 'fail', code: 'pool_stuck', output };
    await vi.waitFor(async () => expect(await started.run()).toMatchObject(stuck));
    expect(await started.run()).toMatchObject(stuck);
    await vi.waitFor(() => expect(server.connections()).toBeLessThanOrEqual(before));
  });

  it('C8: is only exhausted when a fresh connection fails too', async () => {
    const closed = { host: '127.0.0.1', port: await findFreePort() };
    const refused = () => postgresQuery(() => new pg.Client(closed));
    const check = await deadPool({ noReturnFailMs: 300, stuck: { fresh: refused } });
    const started = harness(check, systemClock, 500);
    const output = expect.stringContaining('a fresh connection fails too');
    await vi.waitFor(async () =>
      expect(await started.run()).toMatchObject({ code: 'pool_exhausted', output }),
    );
  });

  it('L5: can be declared unrecoverable, so that a restart ends the outage', async () => {
    const onStuck = (reason: string) => health.fatal(reason);
    const stuck = { fresh, onStuck, onStuckAfterMs: 200 };
    const health = createHealth({
      checks: { pool: await deadPool({ noReturnFailMs: 200, intervalMs: 50, stuck }) },
      isolation: 'inline',
      probes: false,
      diagnostic: false,
      signals: false,
      env: {},
      logger: silentLogger,
    });
    open.push(() => health.dispose());
    await health.start();
    expect(health.report().liveness.status).toBe('pass');
    await vi.waitFor(() => expect(health.report().liveness.reasons).toContain('fatal'), {
      timeout: 8_000,
    });
  });
});
