import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type MailMode = 'ok' | 'down';

/** A stand-in for the mail provider: real HTTP on loopback. */
export interface MailStub {
  readonly url: string;
  /** In mode `down` every request is answered with 503. */
  set(mode: MailMode): void;
  close(): void;
}

/** Starts the stub on a free port in mode `ok`. */
export async function startMailStub(): Promise<MailStub> {
  let mode: MailMode = 'ok';
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(mode === 'ok' ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ mail: mode }));
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    set(next) {
      mode = next;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
