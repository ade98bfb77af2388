import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AppPlan, FrameworkUnderTest } from './framework-app.js';
import { BROKE, NOT_HERE } from './framework-app.js';
import { gateRequest, listening, sendAnswer } from './node-server.js';

/** Where hale goes in; returns what takes it out. */
export type Attach = (server: Server, plan: AppPlan) => () => void;

/** The app of the contract without any framework. */
export function plainApp(name: string, attach: Attach): FrameworkUnderTest {
  return {
    name,
    start(plan) {
      const server = createServer((request, response) => {
        handle(plan, request, response).catch(() => sendAnswer(response, BROKE));
      });
      return listening(server, plan.attached ? attach(server, plan) : undefined);
    },
  };
}

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
