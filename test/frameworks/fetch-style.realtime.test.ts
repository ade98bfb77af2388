import type { Server } from 'node:http';
import { type HttpBindings, serve } from '@hono/node-server';
import { Elysia } from 'elysia';
import { Hono } from 'hono';
import { withHealth } from '../../src/frameworks/fetch.js';
import { attachHealth } from '../../src/frameworks/hono.js';
import {
  type AppAnswer,
  type AppPlan,
  BROKE,
  type FrameworkUnderTest,
  NOT_HERE,
  type RunningApp,
  bodyText,
  headersOf,
} from '../contract/framework-app.js';
import { frameworkContract } from '../contract/framework-contract.js';
import { listening } from '../contract/node-server.js';

function send(answer: AppAnswer): Response {
  return new Response(bodyText(answer), { status: answer.status, headers: headersOf(answer) });
}

function gateAnswer({ gate }: AppPlan, request: Request): Response | undefined {
  const { method, url, headers } = request;
  const refusal = gate({ method, url, headers: Object.fromEntries(headers) });
  return refusal === undefined ? undefined : send(refusal);
}

function buildHono(plan: AppPlan): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (context, next) => {
    const refused = gateAnswer(plan, context.req.raw);
    if (refused !== undefined) return refused;
    return next();
  });
  app.use(async (context, next) => {
    if (context.req.header('content-type') === 'application/json')
      await context.req.json().catch(() => Promise.reject(new SyntaxError('not JSON')));
    return next();
  });
  for (const { method, path, answer } of plan.routes)
    app.on(method, path, async (context) =>
      send(await answer(method === 'POST' ? await context.req.json() : undefined)),
    );
  app.notFound(() => send(NOT_HERE));
  app.onError((error) => send(error instanceof SyntaxError ? { status: 400, body: 'no' } : BROKE));
  return app;
}

/** Elysia runs on Bun; its handler is fetch-style and runs anywhere. */
function buildElysia(plan: AppPlan): (request: Request) => Promise<Response> {
  const app = new Elysia();
  app.onRequest(({ request }) => gateAnswer(plan, request));
  app.onError(({ code }) => {
    if (code === 'NOT_FOUND') return send(NOT_HERE);
    return send(code === 'PARSE' ? { status: 400, body: 'no' } : BROKE);
  });
  for (const { method, path, answer } of plan.routes)
    app.route(method, path, async ({ body }: { body: unknown }) => send(await answer(body)));
  return (request) => app.fetch(request) as Promise<Response>;
}

/** Serves on Node.js, where the server counts requests and drains. */
async function served(
  plan: AppPlan,
  fetch: Parameters<typeof serve>[0]['fetch'],
  detach: (() => void) | undefined,
): Promise<RunningApp> {
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  const release = plan.attached ? plan.health.drains(server) : undefined;
  await new Promise((resolve) => server.once('listening', resolve));
  return listening(
    server,
    detach &&
      (() => {
        release?.();
        detach();
      }),
  );
}

const hono: FrameworkUnderTest = {
  name: 'hono 4 on Node.js',
  resolvesDots: true,
  start(plan) {
    const app = buildHono(plan);
    const { health, basePath, attached } = plan;
    // The last line of the program, after every middleware.
    const detach = attached ? attachHealth(app, health, { basePath }) : undefined;
    return served(plan, (request, env) => app.fetch(request, env), detach);
  },
};

const elysia: FrameworkUnderTest = {
  name: 'elysia 1 as a fetch-style handler',
  resolvesDots: true,
  start(plan) {
    const handler = buildElysia(plan);
    const { health, basePath, attached } = plan;
    return served(plan, attached ? withHealth(handler, health, { basePath }) : handler, undefined);
  },
};

frameworkContract(hono);
frameworkContract(elysia);
