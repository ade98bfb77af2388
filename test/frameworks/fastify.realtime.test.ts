import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { fastify as fastify4 } from 'fastify4';
import { type FastifyInstance, fastify as fastify5 } from 'fastify5';
import { describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import { silentLogger } from '../../src/core/logger.js';
import { attachHealth } from '../../src/frameworks/fastify.js';
import {
  type AppPlan,
  BROKE,
  type FrameworkUnderTest,
  NOT_HERE,
  bodyText,
  headersOf,
} from '../contract/framework-app.js';
import { frameworkContract } from '../contract/framework-contract.js';
import { ask, openKit } from '../contract/framework-kit.js';
import { gateRequest, listening } from '../contract/node-server.js';

type Fastify = () => FastifyInstance;

const MAJORS: Readonly<Record<string, Fastify>> = {
  'fastify 4': () => fastify4() as unknown as FastifyInstance,
  'fastify 5': () => fastify5(),
};

function build(make: Fastify, { gate, routes }: AppPlan): FastifyInstance {
  const app = make();
  app.addHook('onRequest', async (request, reply) => {
    const refusal = gate(gateRequest(request.raw));
    if (refusal !== undefined)
      await reply.code(refusal.status).headers(headersOf(refusal)).send(bodyText(refusal));
  });
  for (const { method, path, answer } of routes) {
    app.route({
      method,
      url: path,
      async handler(request, reply) {
        const answered = await answer(request.body);
        return reply.code(answered.status).headers(headersOf(answered)).send(bodyText(answered));
      },
    });
  }
  app.setNotFoundHandler((_request, reply) =>
    reply.code(NOT_HERE.status).headers(headersOf(NOT_HERE)).send(bodyText(NOT_HERE)),
  );
  app.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
    if (error.statusCode !== undefined) return reply.code(error.statusCode).send('no');
    return reply.code(BROKE.status).headers(headersOf(BROKE)).send(bodyText(BROKE));
  });
  return app;
}

function underTest(name: string, make: Fastify): FrameworkUnderTest {
  return {
    name,
    async start(plan) {
      const app = build(make, plan);
      const { health, basePath, attached } = plan;
      // After every hook and route of the app.
      const detach = attached ? attachHealth(app, health, { basePath }) : undefined;
      await app.listen({ port: 0, host: '127.0.0.1' });
      const running = await listening(app.server, detach);
      return { ...running, close: () => app.close() };
    },
  };
}

for (const [name, make] of Object.entries(MAJORS)) frameworkContract(underTest(name, make));

describe.each(Object.entries(MAJORS))('%s', (name, make) => {
  it('answers app.inject(), in its place among the hooks, and counts nothing twice', async () => {
    let hooked = 0;
    let app: FastifyInstance | undefined;
    const kit = await openKit(
      {
        name,
        async start(plan) {
          app = make();
          attachHealth(app, plan.health);
          app.addHook('onRequest', async () => void (hooked += 1));
          await app.listen({ port: 0, host: '127.0.0.1' });
          return listening(app.server, undefined);
        },
      },
      '',
    );
    try {
      const answer = await app?.inject({ method: 'GET', url: '/livez?x=1' });
      expect(answer).toMatchObject({ statusCode: 200, body: '{"status":"pass","reason":"ok"}' });
      expect((await app?.inject({ method: 'POST', url: '/livez' }))?.statusCode).toBe(405);
      expect(hooked).toBe(0);
      expect((await app?.inject({ method: 'GET', url: '/nothing' }))?.statusCode).toBe(404);
      expect(hooked).toBe(1);
      expect(kit.health.report().inFlight).toBe(0);
    } finally {
      await app?.close();
      await kit.close();
    }
  });

  it('D1: a second server of the instance, as it opens one for localhost, is found and drained', async () => {
    const kit = await openKit(
      {
        name,
        async start(plan) {
          const app = build(make, plan);
          attachHealth(app, plan.health);
          await app.ready();
          const second = createServer((request, response) => app.routing(request, response));
          const running = await listening(second, undefined);
          return {
            ...running,
            async close() {
              await running.close();
              await app.close();
            },
          };
        },
      },
      '',
    );
    try {
      const { port } = kit.app;
      expect((await ask(port, '/orders')).text).toBe('orders');
      kit.refuse({ status: 429, body: 'slow down' });
      expect((await ask(port, '/livez')).status).toBe(200);
      kit.refuse(undefined);
      const slow = ask(port, '/slow');
      await kit.slowBegun();
      expect(kit.health.report().inFlight).toBe(1);
      const drained = kit.health.shutdown('test');
      kit.release();
      expect((await slow).text).toBe('slow but done');
      expect(await drained).toMatchObject({ exitCode: 0 });
      await expect(ask(port, '/orders')).rejects.toThrow('ECONNREFUSED');
    } finally {
      await kit.close();
    }
  });
});

describe('fastify 5 over HTTP/2', () => {
  it('E5, D1: answers probes before its hooks, and drains', async () => {
    const health = createHealth({
      probes: false,
      diagnostic: false,
      signals: false,
      env: {},
      logger: silentLogger,
      shutdown: { propagationDelayMs: 0, deadlineMs: 2000 },
    });
    const app = fastify5({ http2: true });
    app.addHook('onRequest', async (_request, reply) => void (await reply.code(401).send('who?')));
    attachHealth(app, health);
    await health.start();
    await health.untilReady();
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const session = connect(`http://127.0.0.1:${port}`);
    const status = async (path: string) => {
      const stream = session.request({ ':path': path }).resume();
      const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
      return headers[':status'];
    };
    try {
      expect([await status('/livez'), await status('/orders')]).toEqual([200, 401]);
      expect(await health.shutdown('test')).toMatchObject({ exitCode: 0 });
    } finally {
      session.destroy();
      await app.close();
      await health.dispose();
    }
  });
});
