import type { ServerResponse } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { attachHealth } from '../../src/frameworks/nest.js';
import {
  type AppPlan,
  type AppRoute,
  BROKE,
  type FrameworkUnderTest,
  NOT_HERE,
} from '../contract/framework-app.js';
import { frameworkContract } from '../contract/framework-contract.js';
import { gateRequest, listening, sendAnswer } from '../contract/node-server.js';
import { decorate } from '../support/decorate.js';
import { NEST_MAJORS, type Nest } from '../support/nest.js';

/** A response of Express is one of Node.js; a reply of Fastify holds one. */
type Reply = ServerResponse & { readonly raw?: ServerResponse; hijack?(): void };

function rawResponse(reply: Reply): ServerResponse {
  reply.hijack?.();
  return reply.raw ?? reply;
}

function controllerOf({ common }: Nest, { method, path, answer }: AppRoute) {
  class RouteController {
    async handle(body: unknown, reply: Reply): Promise<void> {
      const answered = await answer(body);
      sendAnswer(rawResponse(reply), answered);
    }
  }
  common.Body()(RouteController.prototype, 'handle', 0);
  common.Res()(RouteController.prototype, 'handle', 1);
  const route = method === 'GET' ? common.Get(path) : common.Post(path);
  decorate(RouteController, 'handle', route);
  common.Controller()(RouteController);
  return RouteController;
}

/** Whatever has no status of its own broke. */
const filter = {
  catch(
    error: { getStatus?(): number; statusCode?: number },
    host: { getArgByIndex(at: number): Reply },
  ) {
    const status = error.getStatus?.() ?? error.statusCode ?? BROKE.status;
    const answers = [NOT_HERE, BROKE, { status, body: 'no' }];
    const answer = answers.find((candidate) => candidate.status === status);
    sendAnswer(rawResponse(host.getArgByIndex(1)), answer ?? BROKE);
  },
};

async function build(nest: Nest, platform: 'express' | 'fastify', plan: AppPlan) {
  const { common, core, fastify } = nest;
  class AppModule {}
  common.Module({ controllers: plan.routes.map((route) => controllerOf(nest, route)) })(AppModule);
  const app: INestApplication =
    platform === 'express'
      ? await core.NestFactory.create(AppModule, { logger: false })
      : await core.NestFactory.create(AppModule, new fastify.FastifyAdapter(), { logger: false });
  app.use((request: Parameters<typeof gateRequest>[0], response: Reply, next: () => void) => {
    const refusal = plan.gate(gateRequest(request));
    if (refusal === undefined) next();
    else sendAnswer(response, refusal);
  });
  app.useGlobalFilters(filter);
  return app;
}

function underTest(nest: Nest, platform: 'express' | 'fastify'): FrameworkUnderTest {
  return {
    name: `nest ${nest.major} on ${platform}`,
    async start(plan) {
      const app = await build(nest, platform, plan);
      const { health, basePath, attached } = plan;
      const detach = attached ? attachHealth(app, health, { basePath }) : undefined;
      await app.listen(0, '127.0.0.1');
      const running = await listening(app.getHttpServer(), detach);
      return {
        ...running,
        async close() {
          await running.close();
          await app.close();
        },
      };
    },
  };
}

for (const nest of NEST_MAJORS)
  for (const platform of ['express', 'fastify'] as const)
    frameworkContract(underTest(nest, platform));
