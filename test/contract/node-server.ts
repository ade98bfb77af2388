import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AppAnswer, type RunningApp, bodyText, headersOf } from './framework-app.js';

/** Sends an answer over a response of Node.js. */
export function sendAnswer(response: ServerResponse, answer: AppAnswer): void {
  response.writeHead(answer.status, headersOf(answer));
  response.end(bodyText(answer));
}

/** A gate's view of a request of Node.js. */
export function gateRequest({ method = 'GET', url = '/', headers }: IncomingMessage): {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
} {
  return { method, url, headers };
}

/** Lets a server of Node.js listen on a free port of loopback, and closes it in the end. */
export async function listening(
  server: Server,
  detach: (() => void) | undefined,
  listeners: () => number = () => countListeners(server),
): Promise<RunningApp> {
  if (!server.listening) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const { port } = server.address() as AddressInfo;
  return {
    port,
    ...(detach && { detach }),
    listeners,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The listeners of a server, and whether its methods were replaced. */
export function countListeners(server: Server): number {
  const names = server.eventNames();
  const replaced = Object.hasOwn(server, 'emit') ? 1 : 0;
  return names.reduce((count, name) => count + server.listenerCount(name), replaced);
}
