import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OrderService, eventually, startOrderService } from '../support/order-service.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';

const TTL_MS = 3000;
const LONG_TTL_MS = 60_000;
/** A busy machine asks later. */
const ROOM_MS = 6000;

let postgres: PostgresServer;
let folder: string;
let database: pg.Pool;
const started: OrderService[] = [];
/** A second try begins with an identity that nobody has had. */
let tries = 0;

beforeAll(async () => {
  postgres = await startPostgres();
  folder = await mkdtemp(join(tmpdir(), 'hale-takeover-'));
  database = new pg.Pool({ connectionString: postgres.url, max: 2 });
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.stop('SIGKILL')));
});

afterAll(async () => {
  await database?.end();
  await postgres?.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** One more copy with the same identity, on the same SQLite file. */
async function startCopy(ttlMs = TTL_MS): Promise<OrderService> {
  const service = await startOrderService({
    entry: 'main',
    env: {
      DATABASE_URL: postgres.url,
      LEASE_URL: `sqlite:${join(folder, 'leases.db')}`,
      LEASE_NAME: `orders-${tries}`,
      LEASE_TTL_MS: String(ttlMs),
    },
  });
  started.push(service);
  return service;
}

const order = (service: OrderService, item: string) =>
  service.fetch('/orders', {
    method: 'POST',
    body: JSON.stringify({ item, quantity: 1 }),
    headers: { 'Content-Type': 'application/json' },
  });

const tokenOf = (service: OrderService) => {
  const line = service.logs().findLast(({ event }) => event === 'lease_granted');
  return String(line?.['fence']);
};

/** Another copy, beside the one that holds the lease. */
async function startStandby(ttlMs?: number): Promise<OrderService> {
  const standby = await startCopy(ttlMs);
  await standby.until('/readyz', 'lease_lost', 5000);
  return standby;
}

describe('copies of the order service with one identity, in a SQLite file', () => {
  it('H1, H2, T5: the next takes over from one that is killed, frozen or stopped, with a higher token', async () => {
    tries += 1;
    const killed = await startCopy();
    await killed.until('/readyz', 200, 20_000);
    await database.query('delete from orders');
    const frozen = await startStandby();
    expect((await order(killed, 'by the first')).status).toBe(201);
    const refused = await order(frozen, 'by nobody');
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: 'not_the_holder' });
    // Standing by is healthy: nobody restarts it.
    expect((await frozen.probe('/livez')).code).toBe(200);
    await killed.stop('SIGKILL');
    await frozen.until('/readyz', 200, TTL_MS + ROOM_MS);
    expect((await order(frozen, 'by the second')).status).toBe(201);

    const stopped = await startStandby(LONG_TTL_MS);
    frozen.send('SIGSTOP');
    await stopped.until('/readyz', 200, TTL_MS + ROOM_MS);
    expect((await order(stopped, 'by the third')).status).toBe(201);
    // It is on its way into the frozen process, and is what that one does first.
    const late = order(frozen, 'by the second, late').then(
      ({ status }) => status,
      () => 'cut',
    );
    frozen.send('SIGCONT');
    const { code, signal } = await frozen.ended;
    expect(code === 1 || signal === 'SIGKILL').toBe(true);
    expect([503, 'cut']).toContain(await late);

    const last = await startStandby();
    expect((await stopped.stop()).code).toBe(0);
    expect(stopped.logs().map(({ event }) => event)).toContain('lease_released');
    // Long before it would have expired.
    await last.until('/readyz', 200, ROOM_MS);
    expect((await order(last, 'by the last')).status).toBe(201);

    const { rows } = await database.query<{ item: string; token: string }>(
      'select item, token from orders order by id',
    );
    expect(rows).toEqual([
      { item: 'by the first', token: tokenOf(killed) },
      { item: 'by the second', token: tokenOf(frozen) },
      { item: 'by the third', token: tokenOf(stopped) },
      { item: 'by the last', token: tokenOf(last) },
    ]);
    const tokens = rows.map(({ token }) => Number(token));
    expect(tokens).toEqual([1, 2, 3, 4]);
  }, 120_000);

  it('H1: without LEASE_URL a copy says that it is alone, and writes', async () => {
    const service = await startOrderService({
      entry: 'main',
      env: { DATABASE_URL: postgres.url, LEASE_URL: '' },
    });
    started.push(service);
    await service.until('/readyz', 200, 20_000);
    expect(service.logs().map(({ event }) => event)).toContain('lease_in_memory');
    const created = await eventually(
      async () => {
        const response = await order(service, 'alone');
        return response.status === 201 ? response : undefined;
      },
      5000,
      () => service.output(),
    );
    const { id } = (await created.json()) as { id: number };
    const paid = await service.fetch(`/orders/${id}/pay`, { method: 'POST' });
    expect(await paid.json()).toMatchObject({ id, status: 'paid' });
    expect((await service.fetch('/orders/999999/pay', { method: 'POST' })).status).toBe(404);
  }, 60_000);
});
