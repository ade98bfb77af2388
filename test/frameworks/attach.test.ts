import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Phase } from '../../src/core/phase.js';
import { type ExpressLike, attachHealth as attachExpress } from '../../src/frameworks/express.js';
import {
  type FastifyLike,
  type FastifyRequestHook,
  attachHealth as attachFastify,
} from '../../src/frameworks/fastify.js';
import { type KoaLike, attachHealth as attachKoa } from '../../src/frameworks/koa.js';
import { type NodeServer, attachHealth as attachServer } from '../../src/frameworks/node-http.js';
import {
  ANSWER,
  BAD_DRAINS,
  BAD_IDLE_TIME,
  countedOn,
  fakeHealth,
  fakeResponse,
  newServer,
  request,
} from './attach-support.js';

describe('a server of Node.js', () => {
  it('E5: answers probes before its listeners, and drains as it is told', () => {
    const { health, drained } = fakeHealth();
    const server = newServer();
    const heard: unknown[] = [];
    server.on('request', ({ url }: IncomingMessage) => heard.push(url));
    const drains = { loadBalancerIdleTimeoutMs: 60_000 };
    const detach = attachServer(server, health, { drains });
    expect(drained).toEqual([{ server, options: drains }]);
    const { response, sent } = fakeResponse();
    server.emit('request', request('/livez'), response);
    server.emit('request', request('/orders'), response);
    expect(sent).toEqual({ status: 200, headers: [...ANSWER.headers], body: ANSWER.body });
    expect(heard).toEqual(['/orders']);
    detach();
    expect(drained).toEqual([]);
    server.emit('request', request('/livez'), response);
    expect(heard).toEqual(['/orders', '/livez']);
  });

  it('refuses what is no server', () => {
    const { health } = fakeHealth();
    for (const wrong of [undefined, {}, new EventEmitter()])
      expect(() => attachServer(wrong as unknown as NodeServer, health, { drains: false })).toThrow(
        'attachHealth (a server) must be an http, https or http2 server',
      );
  });

  it('can be left out of the drain, and a bad base path leaves it untouched', () => {
    const { health, drained } = fakeHealth();
    const server = newServer();
    attachServer(server, health, { drains: false })();
    expect(() => attachServer(server, health, { basePath: 'shop' })).toThrow('basePath must be');
    expect(() => attachServer(server, health, null as unknown as object)).toThrow(
      'attachHealth must be an object',
    );
    expect([drained, Object.hasOwn(server, 'emit')]).toEqual([[], false]);
  });

  it('D3: says Connection: close on HTTP/1 while draining, and never on HTTP/2', () => {
    const { health } = fakeHealth();
    const server: NodeServer = newServer();
    attachServer(server, health);
    const ask = (major: number, phase: Phase) => {
      health.phase = phase;
      const { response, sent } = fakeResponse();
      server.emit('request', request('/livez', major), response);
      return (sent.headers as string[]).includes('Connection');
    };
    expect([ask(1, 'running'), ask(1, 'draining'), ask(2, 'draining')]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('waits for on-demand checks, and sends nothing to a client that has left meanwhile', async () => {
    const { health } = fakeHealth(Promise.resolve(ANSWER));
    const server = newServer();
    attachServer(server, health);
    const waiting = fakeResponse();
    const left = fakeResponse({ destroyed: true });
    server.emit('request', request('/readyz'), waiting.response);
    server.emit('request', request('/readyz'), left.response);
    expect(waiting.sent).toEqual({});
    await Promise.resolve();
    expect([waiting.sent.status, left.sent]).toEqual([200, {}]);
  });
});

describe('an application of Express', () => {
  function fakeExpress() {
    const heard: unknown[] = [];
    const server = newServer();
    const app = Object.assign(() => {}, {
      handle: ({ url }: { url: string }) => heard.push(url),
      listen: (..._ports: number[]) => server,
    });
    return { app, heard, server };
  }

  it('E5: answers where requests enter it, and drains the server it makes', () => {
    const { health, drained } = fakeHealth();
    const { app, heard, server } = fakeExpress();
    const before = Object.entries(app);
    const detach = attachExpress(app, health);
    expect(app.listen(3000)).toBe(server);
    expect(drained).toEqual([{ server, options: {} }]);
    const { response, sent } = fakeResponse();
    const handle = app.handle as unknown as (...args: unknown[]) => unknown;
    handle(request('/livez'), response);
    handle(request('/orders'), response);
    expect([sent.status, heard]).toEqual([200, ['/orders']]);
    detach();
    detach();
    expect([drained, Object.entries(app)]).toEqual([[], before]);
  });

  it('O1: probes on the server it makes are answered before anybody counts them', () => {
    const { health } = fakeHealth();
    const { app, server } = fakeExpress();
    const detach = attachExpress(app, health);
    expect(countedOn(server, () => app.listen())).toEqual(['/orders']);
    detach();
    expect(countedOn(server)).toEqual(['/livez', '/orders']);
  });

  it('refuses a bad option of the drain at once, not when a server listens', () => {
    const { health } = fakeHealth();
    const { app } = fakeExpress();
    const before = Object.entries(app);
    expect(() => attachExpress(app, health, BAD_DRAINS)).toThrow(BAD_IDLE_TIME);
    expect(Object.entries(app)).toEqual(before);
  });

  it('leaves listen() alone when it is not to drain, and refuses what is no application', () => {
    const { health } = fakeHealth();
    const { app } = fakeExpress();
    const { listen } = app;
    attachExpress(app, health, { drains: false });
    expect(app.listen).toBe(listen);
    for (const wrong of [undefined, {}, () => {}, { handle: app.handle, listen }])
      expect(() => attachExpress(wrong as unknown as ExpressLike, health)).toThrow(
        'attachHealth (an app) must be an application of Express',
      );
  });
});

describe('an application of Koa', () => {
  function fakeKoa() {
    const heard: unknown[] = [];
    const server = newServer();
    const app: KoaLike = {
      callback: () => (incoming: IncomingMessage) => heard.push(incoming.url),
      listen: () => server,
    };
    return { app, heard, server };
  }

  it('E5: answers in the handler it makes, which goes on without hale once that is taken out', () => {
    const { health, drained } = fakeHealth();
    const { app, heard, server } = fakeKoa();
    const { callback, listen } = app;
    const detach = attachKoa(app, health);
    const handle = app.callback();
    expect([app.listen(), drained]).toEqual([server, [{ server, options: {} }]]);
    const { response, sent } = fakeResponse();
    handle(request('/livez'), response);
    handle(request('/orders'), response);
    expect([sent.status, heard]).toEqual([200, ['/orders']]);
    detach();
    handle(request('/livez'), response);
    expect(heard).toEqual(['/orders', '/livez']);
    expect([app.callback, app.listen, drained]).toEqual([callback, listen, []]);
  });

  it('O1: probes on the server it makes are answered before anybody counts them', () => {
    const { health } = fakeHealth();
    const { app, server } = fakeKoa();
    const detach = attachKoa(app, health);
    expect(countedOn(server, () => app.listen())).toEqual(['/orders']);
    detach();
    expect(countedOn(server)).toEqual(['/livez', '/orders']);
  });

  it('refuses a bad option of the drain at once, not when a server listens', () => {
    const { health } = fakeHealth();
    const { app } = fakeKoa();
    const { callback, listen } = app;
    expect(() => attachKoa(app, health, BAD_DRAINS)).toThrow(BAD_IDLE_TIME);
    expect([app.callback, app.listen]).toEqual([callback, listen]);
  });

  it('leaves listen() alone when it is not to drain, and refuses what is no application', () => {
    const { health } = fakeHealth();
    const { app } = fakeKoa();
    const { listen } = app;
    attachKoa(app, health, { drains: false });
    expect(app.listen).toBe(listen);
    for (const wrong of [undefined, {}, { callback() {} }])
      expect(() => attachKoa(wrong as unknown as KoaLike, health)).toThrow(
        'attachHealth (an app) must be an application of Koa',
      );
  });
});

describe('an instance of Fastify', () => {
  function fakeFastify() {
    const hooks: FastifyRequestHook[] = [];
    const app = {
      server: newServer(),
      closed: 0,
      addHook: (_name: 'onRequest', hook: FastifyRequestHook) => void hooks.push(hook),
      async close() {
        app.closed += 1;
      },
    };
    const pass = (raw: IncomingMessage) => {
      const seen = { hijacked: false, passed: false };
      const { response, sent } = fakeResponse();
      const reply = { raw: response, hijack: () => (seen.hijacked = true) };
      for (const hook of hooks) hook({ raw }, reply, () => (seen.passed = true));
      return { ...seen, sent };
    };
    return { app, pass };
  }

  const like = (app: unknown) => app as FastifyLike;

  it('E5: answers what comes past its server, drains it, and closes the instance at shutdown', async () => {
    const { health, drained, hooks } = fakeHealth();
    const { app, pass } = fakeFastify();
    const detach = attachFastify(like(app), health, { basePath: '/shop' });
    expect(drained).toEqual([{ server: app.server, options: {} }]);
    expect(pass(request('/shop/livez'))).toMatchObject({ hijacked: true, passed: false });
    expect(pass(request('/livez'))).toMatchObject({ hijacked: false, passed: true, sent: {} });
    await (hooks.get('fastify') as () => Promise<void>)();
    expect(app.closed).toBe(1);
    detach();
    expect([drained, hooks.size, Object.hasOwn(app.server, 'emit')]).toEqual([[], 0, false]);
    expect(pass(request('/shop/livez'))).toMatchObject({ hijacked: false, passed: true });
  });

  it('leaves nothing behind where it comes too late for a hook, or with a bad option', () => {
    const { health, drained, hooks } = fakeHealth();
    const { app, pass } = fakeFastify();
    const late = {
      ...app,
      addHook() {
        throw new Error('already listening');
      },
    };
    expect(() => attachFastify(like(late), health)).toThrow('already listening');
    expect(() => attachFastify(like(app), health, BAD_DRAINS)).toThrow(BAD_IDLE_TIME);
    expect([drained, hooks.size, Object.hasOwn(app.server, 'emit')]).toEqual([[], 0, false]);
    expect(pass(request('/livez'))).toMatchObject({ hijacked: false });
  });

  it('D1: takes in a second server of its own kind once, and no other', () => {
    const { health, drained } = fakeHealth();
    const { app, pass } = fakeFastify();
    attachFastify(like(app), health);
    const second = newServer();
    pass(request('/orders', 1, second));
    pass(request('/orders', 1, second));
    pass(request('/orders', 1, { emit() {} }));
    pass(request('/orders', 1, app.server));
    expect(drained.map(({ server }) => server)).toEqual([app.server, second]);
  });

  it('leaves the drain and its close to you when told, and refuses what is no instance', () => {
    const { health, drained, hooks } = fakeHealth();
    const { app } = fakeFastify();
    attachFastify(like(app), health, { drains: false });
    expect([drained, hooks.size]).toEqual([[], 0]);
    for (const wrong of [undefined, {}, { ...app, server: undefined }])
      expect(() => attachFastify(like(wrong), health)).toThrow(
        'attachHealth (an app) must be an instance of Fastify',
      );
  });
});
