import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readyTable } from '../../examples/order-service/src/ready.js';
import {
  type OrderService,
  eventually,
  spawnOrderService,
  startOrderService,
} from '../support/order-service.js';
import { type ManagedServer } from '../support/servers/managed-server.js';
import { startPostgres } from '../support/servers/postgres.js';

const OPEN_WITHIN_MS = 60_000;

function post(service: OrderService, path: string, body?: unknown): Promise<Response> {
  if (body === undefined) return service.fetch(path, { method: 'POST' });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': 'application/json' };
  return service.fetch(path, { method: 'POST', headers, body: text });
}

function runs(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** Connects to the database, sends a parse message without the sync that belongs to it, and vanishes. */
async function leaveHalfQuery(address: string): Promise<void> {
  const [host = '', port] = address.split(':');
  const socket = connect({ host, port: Number(port) });
  const startup = Buffer.from('\0\0\0\0\0\x03\0\0user\0someone\0database\0other\0\0');
  startup.writeInt32BE(startup.length, 0);
  socket.write(startup);
  await once(socket, 'data');
  const parse = Buffer.from('P\0\0\0\0\0select 1 as half\0\0\0');
  parse.writeInt32BE(parse.length - 1, 1);
  await new Promise((resolve) => socket.write(parse, resolve));
  const closed = once(socket, 'close');
  socket.resetAndDestroy();
  await closed;
}

describe('the order service with the embedded database', () => {
  let service: OrderService;
  beforeAll(async () => {
    service = await startOrderService();
    await service.until('/readyz', 200, OPEN_WITHIN_MS);
  });
  afterAll(() => service?.stop('SIGKILL'));

  it('announces every address, with the ports that were really bound', () => {
    const { event, pid, databasePid, ...addresses } = service.ready;
    expect(event).toBe('ready');
    expect(runs(pid) && runs(databasePid ?? 0)).toBe(true);
    for (const address of Object.values(addresses)) {
      expect(address).toMatch(/^(?:http:\/\/)?127\.0\.0\.1:[1-9]\d{1,4}\/?$/);
    }
    expect(new Set(Object.values(addresses)).size).toBe(7);
  });

  it('shows people addresses that answer 200 as they are printed', async () => {
    const pages = readyTable(service.ready).match(/http\S+/g) ?? [];
    expect(pages).toHaveLength(5);
    for (const page of pages) expect([page, (await fetch(page)).status]).toEqual([page, 200]);
  });

  it('creates, lists and pays orders, and sends the mail', async () => {
    const created = await post(service, '/orders', { item: 'tea', quantity: 2 });
    expect(created.status).toBe(201);
    const order = (await created.json()) as { id: number };
    expect(order).toMatchObject({ item: 'tea', quantity: 2, status: 'open' });
    expect(created.headers.get('location')).toBe(`/orders/${order.id}`);

    const paid = await post(service, `/orders/${order.id}/pay`);
    expect(paid.status).toBe(200);
    expect(await paid.json()).toMatchObject({ id: order.id, status: 'paid', mail: 'sent' });

    const list = (await (await service.fetch('/orders')).json()) as { id: number }[];
    expect(list[0]).toMatchObject({ id: order.id, status: 'paid' });
  });

  it('says what is wrong with a request', async () => {
    for (const [path, body, status, text] of [
      ['/orders', { item: 'tea' }, 400, /quantity/],
      ['/orders', { item: '  ', quantity: 1 }, 400, /body\/item/],
      ['/orders', { item: 'tea', quantity: 0 }, 400, /body\/quantity must be >= 1/],
      ['/orders', { item: 'tea', quantity: '1' }, 400, /body\/quantity must be integer/],
      ['/orders', { item: 'tea', quantity: 1, price: 0 }, 400, /additional properties/],
      ['/orders', '{"item":', 400, /JSON/],
      ['/orders/x/pay', undefined, 400, /params\/id/],
      ['/orders/999999/pay', undefined, 404, /no order 999999/],
      ['/faults/database?mode=melt', undefined, 400, /mode must be one of ok, slow, .*got "melt"/],
      ['/faults/database?mode=slow&ms=0', undefined, 400, /ms must be .* 1 to 120000, got "0"/],
      ['/faults/loop?ms=120001', undefined, 400, /ms must be .* 1 to 120000, got "120001"/],
      ['/faults/mail', undefined, 400, /mode must be one of ok, down, got nothing/],
      ['/nothing', undefined, 404, /no POST/],
    ] as const) {
      const response = await post(service, path, body);
      expect([path, response.status]).toEqual([path, status]);
      expect(((await response.json()) as { message: string }).message).toMatch(text);
    }
  });

  it('serves the fault panel with a policy that allows nothing inline and nothing foreign', async () => {
    const page = await service.fetch('/');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain(`connect-src 'self' ${service.ready.panelRelay};`);
    const html = await page.text();
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc="\/)/);
    const paths = [...html.matchAll(/data-post="\/faults\/([a-z]+)/g)].map(([, name]) => name);
    expect(new Set(paths)).toEqual(new Set(['database', 'loop', 'native', 'mail', 'drain']));
    for (const [, file] of html.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      expect((await service.fetch(file ?? '')).status).toBe(200);
    }
  });

  it('refuses faults that another site injects through a browser', async () => {
    const headers = { origin: 'http://elsewhere.example' };
    const response = await service.fetch('/faults/loop?ms=1', { method: 'POST', headers });
    expect(response.status).toBe(403);
    const own = { origin: service.ready.app };
    const accepted = await service.fetch('/faults/mail?mode=ok', { method: 'POST', headers: own });
    expect(accepted.status).toBe(200);
  });

  it('L8: the relay tells what the probes say while the main loop is blocked', async () => {
    await service.fault('loop?ms=1500');
    await eventually(
      async () => {
        const answered = await Promise.race([
          service.fetch('/orders').then(() => true),
          new Promise<false>((resolve) => setTimeout(resolve, 200, false)),
        ]);
        return answered ? undefined : true;
      },
      1_000,
      () => 'the main loop blocks',
    );
    const response = await fetch(`${service.ready.panelRelay}/probes`);
    const answers = (await response.json()) as { probe: string; code: number }[];
    expect(answers.map(({ probe, code }) => [probe, code])).toEqual([
      ['startup', 200],
      ['liveness', 200],
      ['readiness', 200],
    ]);
    expect((await service.fetch('/orders')).status).toBe(200);
  });

  it('L6: mail down is a warning, and an order is paid without its mail', async () => {
    await service.fault('mail?mode=down');
    const { id } = (await (
      await post(service, '/orders', { item: 'tea', quantity: 1 })
    ).json()) as {
      id: number;
    };
    const paid = await post(service, `/orders/${id}/pay`);
    expect(await paid.json()).toMatchObject({ status: 'paid', mail: 'not sent' });
    await service.fault('mail?mode=ok');
  });

  it('answers 503 without details while the database is gone, and 200 again after', async () => {
    for (const mode of ['cut', 'refuse', 'slow&ms=120000', 'hang', 'oscillate&ms=60000']) {
      await service.fault(`database?mode=${mode}`);
      const response = await service.fetch('/orders');
      expect([mode, response.status]).toEqual([mode, 503]);
      expect(await response.json()).toEqual({
        error: 'database_unavailable',
        message: 'the database cannot be reached right now',
      });
      await service.fault('database?mode=ok');
      expect([mode, (await service.fetch('/orders')).status]).toEqual([mode, 200]);
    }
  });

  it('answers right after a client was cut in the middle of its query', async () => {
    for (let round = 1; round <= 5; round += 1) {
      await leaveHalfQuery(service.ready.database);
      const [order] = (await (await service.fetch('/orders')).json()) as { status: string }[];
      expect(order).toMatchObject({ item: 'tea', status: 'paid' });
    }
  });

  it('survives its killed database, which comes back on request with its orders', async () => {
    const before = (await (await service.fetch('/orders')).json()) as unknown[];
    process.kill(service.ready.databasePid ?? 0, 'SIGKILL');
    await eventually(
      async () => ((await service.fetch('/orders')).status === 503 ? true : undefined),
      5_000,
      () => '503',
    );
    await service.fault('database?mode=ok');
    await eventually(
      async () => ((await service.fetch('/orders')).status === 200 ? true : undefined),
      OPEN_WITHIN_MS,
      () => '200',
    );
    expect(await (await service.fetch('/orders')).json()).toEqual(before);
  });

  it('D6: ends with code 0 on SIGTERM and leaves no process behind', async () => {
    const children = service.logs().filter(({ message }) => message === 'embedded database open');
    const pids = children.map(({ pid }) => Number(pid));
    expect(pids.length).toBeGreaterThanOrEqual(2);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(pids.filter(runs)).toEqual([]);
    await expect(fetch(service.ready.panelRelay ?? '')).rejects.toThrow('fetch failed');
  });
});

describe('the embedded database', () => {
  it('ends when the service is killed', async () => {
    const service = await startOrderService();
    const databasePid = service.ready.databasePid ?? 0;
    expect(runs(databasePid)).toBe(true);
    expect(await service.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    await eventually(() => (runs(databasePid) ? undefined : true), 30_000, service.output);
  });
});

describe('the order service as a container runs it', () => {
  let postgres: ManagedServer;
  let service: OrderService;
  beforeAll(async () => {
    postgres = await startPostgres();
    service = await startOrderService({ entry: 'main', env: { DATABASE_URL: postgres.url } });
    await service.until('/readyz', 200, OPEN_WITHIN_MS);
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await postgres?.dispose();
  });

  it('serves orders from a real server, with no faults and no panel', async () => {
    expect((await post(service, '/orders', { item: 'tea', quantity: 1 })).status).toBe(201);
    expect(service.ready).toMatchObject({ faultProxy: null, panelRelay: null, databasePid: null });
    for (const path of ['/', '/panel/client.js']) {
      expect([path, (await service.fetch(path)).status]).toEqual([path, 404]);
    }
    for (const fault of ['database?mode=ok', 'loop?ms=1', 'native?ms=1', 'mail?mode=ok', 'drain']) {
      expect([fault, (await post(service, `/faults/${fault}`)).status]).toEqual([fault, 404]);
    }
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it('breaks the connection to a real server when asked to', async () => {
    service = await startOrderService({
      entry: 'main',
      env: { DATABASE_URL: postgres.url, HALE_DEMO_FAULTS: '1' },
    });
    await service.until('/readyz', 200, OPEN_WITHIN_MS);
    await service.fault('database?mode=refuse');
    expect((await service.fetch('/orders')).status).toBe(503);
    await service.fault('database?mode=ok');
    expect((await service.fetch('/orders')).status).toBe(200);
  });
});

describe('the order service whose database is down', () => {
  let service: OrderService;
  let postgres: ManagedServer;
  beforeAll(async () => {
    postgres = await startPostgres();
    await postgres.stop();
    service = await startOrderService({ entry: 'main', env: { DATABASE_URL: postgres.url } });
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await postgres?.dispose();
  });

  it('S4: starts, says why it is not ready, and becomes ready without a restart', async () => {
    expect((await service.probe('/livez')).code).toBe(200);
    const readiness = await service.probe('/readyz');
    expect(readiness.code).toBe(503);
    expect(readiness.body.reason).toMatch(/^(?:starting|check_failed:database)$/);
    expect((await service.fetch('/orders')).status).toBe(503);
    await postgres.restart();
    await service.until('/readyz', 200, OPEN_WITHIN_MS);
    expect((await service.fetch('/orders')).status).toBe(200);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });
});

describe('what keeps the order service from starting', () => {
  it.each([
    [{}, /DATABASE_URL must be set/],
    [{ DATABASE_URL: 'mysql://user:hunter2@host/x' }, /DATABASE_URL must be a URL that starts/],
    [{ DATABASE_URL: 'postgres://h/x', PORT: '70000' }, /PORT must be a port .* got "70000"/],
  ])('is one clear line and exit code 1: %o', async (env, text) => {
    const { printed, ended } = spawnOrderService({ entry: 'main', env: { ...env } });
    expect(await ended).toEqual({ code: 1, signal: null });
    expect(printed.both).toMatch(text);
    expect(printed.both.trimEnd().split('\n')).toHaveLength(1);
    expect(printed.both).not.toContain('hunter2');
  });

  it('is named when it is the port', async () => {
    const service = await startOrderService();
    const { port } = new URL(service.ready.app);
    const second = spawnOrderService({ env: { PORT: port } });
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.printed.both).toMatch(new RegExp(`EADDRINUSE.*:${port}`));
    await service.stop('SIGKILL');
  });
});
