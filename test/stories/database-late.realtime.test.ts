import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OrderService, startOrderService } from '../support/order-service.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';

let postgres: PostgresServer;
let service: OrderService;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.dispose());
afterEach(async () => void (await service.stop('SIGKILL')));

describe('T3, S4: started with the database down', () => {
  it('is not ready with a reason at once, does not exit, and gets ready without a restart', async () => {
    await postgres.stop();
    service = await startOrderService({ entry: 'main', env: { DATABASE_URL: postgres.url } });
    const { pid } = service;
    expect((await service.probe('/readyz')).code).toBe(503);
    expect((await service.probe('/livez')).code).toBe(200);
    await service.until('/readyz', 'starting', 2000);
    await delay(5000);
    expect((await service.probe('/readyz')).body.reason).toBe('starting');
    await postgres.restart();
    await service.until('/readyz', 200, 20_000);
    expect(service.pid).toBe(pid);
    const created = await service.fetch('/orders', {
      method: 'POST',
      body: '{"item":"tea","quantity":1}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(created.status).toBe(201);
    expect((await service.stop()).code).toBe(0);
  });
});
