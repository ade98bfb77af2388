import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import { withHealth } from '../../src/frameworks/fetch.js';
import { attachHealth } from '../../src/frameworks/hono.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from '../engine/support.js';

function setUp() {
  const clock = createManualClock();
  const health = createHealth({
    isolation: 'inline',
    probes: false,
    diagnostic: false,
    signals: false,
    clock,
    env: {},
    logger: createLog().logger,
    shutdown: { propagationDelayMs: 1000, deadlineMs: 5000 },
  });
  return { clock, health };
}

const url = (path: string) => `http://10.0.0.5:3000${path}`;
const NOT_MODIFIABLE = Response.redirect('https://orders.example/', 302);

describe('a Hono application', () => {
  it('E5: answers before its middleware, below the base path, until taken out', async () => {
    const { clock, health } = setUp();
    const app = new Hono();
    app.use(async (context) => context.text('who?', 401));
    const detach = attachHealth(app, health, { basePath: '/shop' });
    const first = app.request(url('/shop/readyz?verbose'));
    // The first probe starts hale, and start-up takes a turn.
    await clock.advance(1);
    const answer = await first;
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'pass', reason: 'ok' }]);
    expect((await app.request(url('/shop/livez'), { method: 'DELETE' })).status).toBe(405);
    for (const path of ['/readyz', '/shop/livez/', '/shop//livez', '/shop/%6civez', '/shop'])
      expect([path, (await app.request(url(path))).status]).toEqual([path, 401]);
    detach();
    expect((await app.request(url('/shop/readyz'))).status).toBe(401);
    await health.dispose();
  });

  it('says what it needs', () => {
    const { health } = setUp();
    expect(() => attachHealth({} as never, health)).toThrow('an application of Hono');
    expect(() => attachHealth(new Hono(), health, { basePath: 'shop' })).toThrow('basePath');
    expect(() => attachHealth(new Hono(), health, null as never)).toThrow('must be an object');
    expect(() => attachHealth(new Hono(), health, { counts: 1 as never })).toThrow('counts');
    expect(() => withHealth(undefined as never, health)).toThrow('withHealth (a handler)');
  });
});

describe('a fetch-style handler', () => {
  it('O1, D3: counts requests if asked to, and says close once it drains', async () => {
    const { clock, health } = setUp();
    await health.start();
    await clock.advance(1);
    let release = (): void => {};
    const handler = withHealth(
      (_request: Request, how: string) =>
        new Promise<Response>((resolve, reject) => {
          release = () => (how === 'fails' ? reject(new Error('a bug')) : resolve(NOT_MODIFIABLE));
        }),
      health,
      { counts: true },
    );
    const failing = Promise.resolve(handler(new Request(url('/orders')), 'fails'));
    expect(health.report().inFlight).toBe(1);
    release();
    await expect(failing).rejects.toThrow('a bug');
    expect(health.report().inFlight).toBe(0);
    const slow = Promise.resolve(handler(new Request(url('/orders?token=tea')), 'answers'));
    void health.shutdown('test');
    release();
    const { status, headers } = await slow;
    expect([status, headers.get('location'), headers.get('connection')]).toEqual([
      302,
      'https://orders.example/',
      'close',
    ]);
    expect(health.report().inFlight).toBe(0);
    const probe = await handler(new Request(url('/readyz')), '');
    expect([probe.status, probe.headers.get('connection')]).toEqual([503, 'close']);
    await health.dispose();
  });

  it('counts nothing by default, and hands on what it got and returned', async () => {
    const { health } = setUp();
    const seen: unknown[] = [];
    const answer = new Response('orders');
    const handler = withHealth((request, info: object) => {
      seen.push(request, info, health.report().inFlight);
      return answer;
    }, health);
    const [request, info] = [new Request(url('/orders')), {}];
    expect(handler(request, info)).toBe(answer);
    expect(seen).toEqual([request, info, 0]);
    await health.dispose();
  });

  it('declares the parameters of the handler behind it: Deno.serve hands over no others', () => {
    const { health } = setUp();
    const app = new Hono();
    const before = app.fetch.length;
    attachHealth(app, health);
    expect(app.fetch.length).toBe(before);
    const both = withHealth((_request, _info: object) => new Response(), health);
    const none = withHealth(() => new Response(), health);
    expect([both.length, none.length]).toEqual([2, 1]);
  });
});
