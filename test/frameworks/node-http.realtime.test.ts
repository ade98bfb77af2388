import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { attachHealth } from '../../src/frameworks/node-http.js';
import { type AppPlan, BROKE, NOT_HERE } from '../contract/framework-app.js';
import { frameworkContract } from '../contract/framework-contract.js';
import { gateRequest, listening, sendAnswer } from '../contract/node-server.js';

async function handle(
  { gate, routes }: AppPlan,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refusal = gate(gateRequest(request));
  if (refusal !== undefined) return sendAnswer(response, refusal);
  const body = await bodyOf(request);
  if (body === undefined) return sendAnswer(response, { status: 400, body: 'no JSON' });
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const route = routes.find(({ method, path }) => method === request.method && path === pathname);
  sendAnswer(response, route === undefined ? NOT_HERE : await route.answer(body.json));
}

async function bodyOf(request: IncomingMessage): Promise<{ json?: unknown } | undefined> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  try {
    return text === '' ? {} : { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

frameworkContract({
  name: 'node:http',
  start(plan) {
    const server = createServer((request, response) => {
      handle(plan, request, response).catch(() => sendAnswer(response, BROKE));
    });
    const { health, basePath, attached } = plan;
    return listening(server, attached ? attachHealth(server, health, { basePath }) : undefined);
  },
});
