import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../core/clock.js';
import { onceOver } from '../core/response-over.js';
import { stopListening } from './builtins.js';
import type { DrainTarget } from './drain-target.js';
import type { InFlight } from './in-flight.js';
import { requestRoute } from './request-route.js';
import { nextTurn } from './system-clock.js';

/** How long a connection may stay without its first byte once the server has stopped listening. */
const SILENT_LINGER_MS = 250;

export interface TrackedServerOptions {
  readonly clock: Clock;
  readonly inFlight: InFlight;
  readonly redact: (text: string) => string;
}

/** Tracks the requests and connections of a `node:http` or `node:https` server. */
export function trackServer(server: Server, options: TrackedServerOptions): DrainTarget {
  return new Tracked(server, options);
}

class Tracked implements DrainTarget {
  readonly #server: Server;
  readonly #options: TrackedServerOptions;
  readonly #sockets = new Set<Socket>();
  readonly #responses = new Set<ServerResponse>();
  #state: 'serving' | 'draining' | 'closing' = 'serving';
  #closed: Promise<void> = Promise.resolve();

  constructor(server: Server, options: TrackedServerOptions) {
    this.#server = server;
    this.#options = options;
    server.prependListener('connection', this.#onConnection);
    // Before the application's own listener, which may answer within it.
    server.prependListener('request', this.#onRequest);
  }

  startDraining(): void {
    if (this.#state !== 'serving') return;
    this.#state = 'draining';
    for (const response of this.#responses) sayClose(response);
  }

  async stopAccepting(): Promise<void> {
    this.startDraining();
    this.#state = 'closing';
    // Right after a poll phase the kernel's queue of connections is empty; what waits in it at close() is reset.
    await nextTurn();
    // Not http's own close(), which at once destroys idle connections: a request already in the kernel's buffer
    // of one would be reset. Two turns read what is there, and such a connection is idle no more.
    this.#closed = stopListening(this.#server);
    await nextTurn();
    await nextTurn();
    this.#server.close(() => {});
  }

  async gone(): Promise<void> {
    // A connection that never sent anything counts as active for Node.js, and would hold the server open; but the
    // first request of a new one may still be on its way.
    const linger = this.#options.clock.setTimeout(() => this.#closeSilent(), SILENT_LINGER_MS);
    await this.#closed;
    linger.clear();
  }

  open(): readonly string[] {
    const busy = new Set(Array.from(this.#responses, ({ req }) => req.socket));
    // One that was destroyed is gone before it says so, which takes a turn of the loop.
    const alive = [...this.#sockets].filter((socket) => !socket.destroyed);
    const quiet = alive.filter((socket) => !busy.has(socket)).length;
    return quiet === 0 ? [] : [`${quiet} connection${quiet === 1 ? '' : 's'} without a request`];
  }

  async cut(): Promise<void> {
    this.#server.closeAllConnections();
    // An upgraded connection is no longer on the server's own list.
    for (const socket of this.#sockets) socket.destroy();
  }

  release(): void {
    this.#server.off('connection', this.#onConnection);
    this.#server.off('request', this.#onRequest);
  }

  readonly #onConnection = (socket: Socket): void => {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  };

  readonly #onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { inFlight, redact } = this.#options;
    const end = inFlight.begin(() => redact(requestRoute(request)));
    this.#responses.add(response);
    if (this.#state !== 'serving') sayClose(response);
    onceOver(response, () => {
      this.#responses.delete(response);
      end();
      // A response whose headers went out before the drain left its connection open.
      if (this.#state === 'closing')
        void nextTurn().then(() => this.#server.closeIdleConnections());
    });
  };

  #closeSilent(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}

/** Tells the client of a response that its connection ends with it, if it can still be told. */
export function sayClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
