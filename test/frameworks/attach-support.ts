import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Phase } from '../../src/core/phase.js';
import type { ProbeRequest } from '../../src/probe/handler.js';
import { type ProbeResponse, refusal } from '../../src/probe/prepared.js';

export const ANSWER = refusal(200, 'sound');

/** A health that keeps what it is given. */
export function fakeHealth(answer: ProbeResponse | Promise<ProbeResponse> = ANSWER) {
  const drained: { server: unknown; options: unknown }[] = [];
  const hooks = new Map<string, unknown>();
  return {
    drained,
    hooks,
    health: {
      phase: 'running' as Phase,
      probePaths: { liveness: ['/livez'], readiness: ['/readyz'], startup: ['/startupz'] },
      handle: (_request: ProbeRequest) => answer,
      drains(server: unknown, options?: unknown) {
        const entry = { server, options };
        drained.push(entry);
        return () => void drained.splice(drained.indexOf(entry), 1);
      },
      onShutdown(name: string, hook: unknown) {
        hooks.set(name, hook);
        return () => void hooks.delete(name);
      },
    },
  };
}

/** A response that keeps what is sent on it. */
export function fakeResponse(state: { destroyed?: boolean; headersSent?: boolean } = {}) {
  const sent: { status?: number; headers?: unknown; body?: unknown } = {};
  const response = {
    ...state,
    writeHead(status: number, headers: unknown) {
      Object.assign(sent, { status, headers });
    },
    end(body: unknown) {
      sent.body = body;
    },
  };
  return { sent, response: response as unknown as ServerResponse };
}

export const request = (url: string, httpVersionMajor = 1, server?: unknown): IncomingMessage =>
  ({ method: 'GET', url, httpVersionMajor, socket: { server } }) as unknown as IncomingMessage;

export const BAD_DRAINS = { drains: { loadBalancerIdleTimeoutMs: -1 } };
export const BAD_IDLE_TIME = 'loadBalancerIdleTimeoutMs must be';

export const newServer = () =>
  Object.assign(new EventEmitter(), { listen() {} }) as unknown as Server;

/** What a listener of the server hears of a probe and another request. */
export function countedOn(server: Server, listen: () => unknown = () => {}): unknown[] {
  const counted: unknown[] = [];
  const count = ({ url }: IncomingMessage) => counted.push(url);
  server.on('request', count);
  listen();
  for (const url of ['/livez', '/orders'])
    server.emit('request', request(url), fakeResponse().response);
  server.off('request', count);
  return counted;
}
