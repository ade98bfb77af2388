import { createServer } from 'node:http';
import koa2 from 'koa2';
import koa3 from 'koa3';
import { describe, expect, it } from 'vitest';
import { attachHealth } from '../../src/frameworks/koa.js';
import {
  type AppAnswer,
  type AppPlan,
  BROKE,
  type FrameworkUnderTest,
  NOT_HERE,
  bodyText,
  headersOf,
} from '../contract/framework-app.js';
import { frameworkContract } from '../contract/framework-contract.js';
import { openKit } from '../contract/framework-kit.js';
import { countListeners, gateRequest, listening } from '../contract/node-server.js';

type Koa = typeof koa3;

const MAJORS: Readonly<Record<string, Koa>> = { 'koa 2': koa2 as unknown as Koa, 'koa 3': koa3 };

function send(context: koa3.Context, answer: AppAnswer): void {
  context.status = answer.status;
  context.set(headersOf(answer));
  context.body = bodyText(answer);
}

/** Koa has no body parser of its own; this is what the usual ones do. */
async function parsed(context: koa3.Context): Promise<unknown> {
  let text = '';
  for await (const chunk of context.req.setEncoding('utf8')) text += chunk;
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return context.throw(400, 'no JSON');
  }
}

function build(Framework: Koa, { gate, routes }: AppPlan): koa3 {
  const app = new Framework();
  app.silent = true;
  app.use(async (context, next) => {
    try {
      const refusal = gate(gateRequest(context.req));
      if (refusal === undefined) await next();
      else send(context, refusal);
    } catch (error) {
      const { status } = error as { status?: number };
      send(context, status === undefined ? BROKE : { status, body: 'no' });
    }
  });
  app.use(async (context) => {
    const body = await parsed(context);
    const route = routes.find(
      ({ method, path }) => method === context.method && path === context.path,
    );
    send(context, route === undefined ? NOT_HERE : await route.answer(body));
  });
  return app;
}

function underTest(name: string, Framework: Koa): FrameworkUnderTest {
  return {
    name,
    start(plan) {
      const app = build(Framework, plan);
      const { health, basePath, attached } = plan;
      const detach = attached ? attachHealth(app, health, { basePath }) : undefined;
      const server = app.listen(0, '127.0.0.1');
      return listening(
        server,
        detach,
        () => countListeners(server) + Object.getOwnPropertyNames(app).length,
      );
    },
  };
}

for (const [name, Framework] of Object.entries(MAJORS))
  frameworkContract(underTest(name, Framework));

describe.each(Object.entries(MAJORS))('%s', (name, Framework) => {
  it('answers on a server of your own', async () => {
    const kit = await openKit(
      {
        name,
        start(plan) {
          const app = build(Framework, plan);
          attachHealth(app, plan.health);
          const handle = app.callback();
          const server = createServer((request, response) => void handle(request, response));
          plan.health.drains(server);
          return listening(server, undefined);
        },
      },
      '',
    );
    try {
      expect((await kit.ask('/livez')).status).toBe(200);
    } finally {
      await kit.close();
    }
  });
});
