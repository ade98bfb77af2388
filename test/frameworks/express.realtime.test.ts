import { createServer } from 'node:http';
import express4 from 'express4';
import express5 from 'express5';
import { describe, expect, it } from 'vitest';
import { attachHealth } from '../../src/frameworks/express.js';
import {
  type AppAnswer,
  BROKE,
  type FrameworkUnderTest,
  NOT_HERE,
  bodyText,
  headersOf,
} from '../contract/framework-app.js';
import { SERVING_CASES } from '../contract/framework-cases.js';
import { failuresOf, frameworkContract } from '../contract/framework-contract.js';
import { ask, openKit } from '../contract/framework-kit.js';
import { countListeners, gateRequest, listening } from '../contract/node-server.js';

type Express = typeof express5;
type Application = ReturnType<Express>;

/** Express 4 and 5 are told apart by their types only where the tests do not look. */
const MAJORS: Readonly<Record<string, Express>> = {
  'express 4': express4 as unknown as Express,
  'express 5': express5,
};

function send(response: express5.Response, answer: AppAnswer): void {
  response.status(answer.status).set(headersOf(answer)).send(bodyText(answer));
}

type Plan = Parameters<FrameworkUnderTest['start']>[0];

function gateMiddleware({ gate }: Plan): express5.RequestHandler {
  return (request, response, next) => {
    const refusal = gate(gateRequest(request));
    if (refusal === undefined) next();
    else send(response, refusal);
  };
}

function build(express: Express, plan: Plan): Application {
  const app = express();
  app.use(gateMiddleware(plan));
  app.use(express.json());
  for (const { method, path, answer } of plan.routes) {
    app[method === 'GET' ? 'get' : 'post'](path, (request, response, next) => {
      // Express 4 does not hear of rejections.
      Promise.resolve()
        .then(() => answer(request.body))
        .then((answered) => send(response, answered), next);
    });
  }
  app.use((_request, response) => send(response, NOT_HERE));
  const onError: express5.ErrorRequestHandler = (
    error: { status?: number },
    _request,
    response,
    _next,
  ) => send(response, error.status === undefined ? BROKE : { status: error.status, body: 'no' });
  app.use(onError);
  return app;
}

function underTest(name: string, express: Express): FrameworkUnderTest {
  return {
    name,
    start(plan) {
      const app = build(express, plan);
      const { health, basePath, attached } = plan;
      // The last line of the program, after every middleware.
      const detach = attached ? attachHealth(app, health, { basePath }) : undefined;
      const server = app.listen(0, '127.0.0.1');
      return listening(
        server,
        detach,
        () => countListeners(server) + Number(Object.keys(app).length),
      );
    },
  };
}

for (const [name, express] of Object.entries(MAJORS)) frameworkContract(underTest(name, express));

describe.each(Object.entries(MAJORS))('%s', (name, express) => {
  it('E5: probes that stand after the limiter fail the contract', async () => {
    const late: FrameworkUnderTest = {
      name,
      start(plan) {
        const outer = express();
        outer.use(gateMiddleware(plan));
        const inner = build(express, plan);
        outer.use(inner);
        const { health, basePath, attached } = plan;
        if (attached) attachHealth(inner, health, { basePath });
        return listening(createServer(outer), undefined);
      },
    };
    const gates = SERVING_CASES.filter((item) =>
      item.name.startsWith('E5: probes are answered before a '),
    );
    expect(gates).toHaveLength(4);
    expect(await failuresOf(late, '', /answered before a /)).toEqual(
      gates.map((item) => item.name),
    );
  });

  it('answers on a server of your own, and below the path an application is mounted at', async () => {
    const kit = await openKit(
      {
        name,
        start(plan) {
          const outer = express();
          const app = build(express, plan);
          attachHealth(app, plan.health);
          outer.use('/inner', app);
          return listening(createServer(outer), undefined);
        },
      },
      '',
    );
    try {
      expect((await ask(kit.app.port, '/inner/livez')).status).toBe(200);
      expect((await ask(kit.app.port, '/livez')).status).toBe(404);
    } finally {
      await kit.close();
    }
  });
});
