import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  Http2SecureServer,
  Http2Server,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2';
import { onceOver } from '../core/response-over.js';
import { routeText } from '../core/route-text.js';
import { closeIdleConnections, stopListening } from './builtins.js';
import type { DrainTarget } from './drain-target.js';
import { requestRoute } from './request-route.js';
import { nextTurn } from './system-clock.js';
import { type TrackedServerOptions, sayClose } from './tracked-server.js';

/** RFC 9113, section 7. */
const NO_ERROR = 0;
/** "No stream is refused yet": the notice that RFC 9113, section 6.8, wants before the real GOAWAY. */
const NO_STREAM_REFUSED = 2 ** 31 - 1;

/** What the protocol library says of a stream that it does not know any more (`NGHTTP2_STREAM_STATE_IDLE`). */
const NO_STREAM = 1;

/** Tracks the sessions and streams of an HTTP/2 server, and the HTTP/1 requests it may fall back to. */
export function trackHttp2Server(
  server: Http2Server | Http2SecureServer,
  options: TrackedServerOptions,
): DrainTarget {
  return new TrackedHttp2(server, options);
}

class TrackedHttp2 implements DrainTarget {
  readonly #server: Http2Server | Http2SecureServer;
  readonly #options: TrackedServerOptions;
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #streams = new Set<ServerHttp2Stream>();
  readonly #responses = new Set<ServerResponse>();
  #state: 'serving' | 'draining' | 'closing' = 'serving';
  #closed: Promise<void> = Promise.resolve();

  constructor(server: Http2Server | Http2SecureServer, options: TrackedServerOptions) {
    this.#server = server;
    this.#options = options;
    server.prependListener('session', this.#onSession);
    server.prependListener('stream', this.#onStream);
    // Only where the application listens too: the first such listener turns the compatibility API on.
    if (server.listenerCount('request') > 0) server.prependListener('request', this.#onRequest);
  }

  startDraining(): void {
    if (this.#state !== 'serving') return;
    this.#state = 'draining';
    for (const session of this.#sessions) notify(session);
    for (const response of this.#responses) sayClose(response);
  }

  async stopAccepting(): Promise<void> {
    this.startDraining();
    this.#state = 'closing';
    await nextTurn();
    this.#closed = stopListening(this.#server);
    // Streams that are already in the kernel's buffer are let in before the last word.
    await nextTurn();
    await nextTurn();
    this.#server.close(() => {});
    for (const session of this.#sessions) session.close();
  }

  gone(): Promise<void> {
    return this.#closed;
  }

  open(): readonly string[] {
    const alive = [...this.#sessions].filter((session) => !session.destroyed);
    const quiet = alive.filter((session) => !this.#isBusy(session)).length;
    return quiet === 0 ? [] : [`${quiet} HTTP/2 session${quiet === 1 ? '' : 's'} without a stream`];
  }

  async cut(): Promise<void> {
    for (const stream of this.#streams) cutStream(stream);
    for (const { req } of this.#responses) req.socket.destroy();
    // In a later turn, so that the streams' code goes out before the connection ends.
    await nextTurn();
    for (const session of this.#sessions) session.destroy();
    await nextTurn();
  }

  release(): void {
    this.#server.off('session', this.#onSession);
    this.#server.off('stream', this.#onStream);
    this.#server.off('request', this.#onRequest);
  }

  #isBusy(session: ServerHttp2Session): boolean {
    for (const stream of this.#streams) if (stream.session === session) return true;
    return false;
  }

  readonly #onSession = (session: ServerHttp2Session): void => {
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
  };

  readonly #onStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    const { inFlight, redact } = this.#options;
    const { ':method': method, ':path': path } = headers;
    const end = inFlight.begin(() => redact(routeText(method, path)));
    this.#streams.add(stream);
    // A session that began during the delay: after its first stream, which a notice before it would have refused.
    if (this.#state === 'draining' && stream.session !== undefined)
      notify(stream.session as ServerHttp2Session);
    stream.once('close', () => {
      this.#streams.delete(stream);
      end();
    });
    stream.once('end', () => {
      if (stream.closed) void nextTurn().then(() => endForgotten(stream));
    });
  };

  readonly #onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.httpVersionMajor !== 1) return;
    const { inFlight, redact } = this.#options;
    const end = inFlight.begin(() => redact(requestRoute(request)));
    this.#responses.add(response);
    if (this.#state !== 'serving') sayClose(response);
    onceOver(response, () => {
      this.#responses.delete(response);
      end();
      if (this.#state === 'closing') void nextTurn().then(() => closeIdleConnections(this.#server));
    });
  };
}

/**
 * Node.js never closes a stream that its client has reset with NO_ERROR before its request was read to the end, and with
 * it the session stays open for good.
 */
function endForgotten(stream: ServerHttp2Stream): void {
  if (!stream.destroyed && stream.state.state === NO_STREAM) stream.destroy();
}

/**
 * Ends a stream with INTERNAL_ERROR: `close(code)` would send END_STREAM first, and what was sent so far would pass
 * for the whole answer.
 */
function cutStream(stream: ServerHttp2Stream): void {
  stream.on('error', () => {});
  stream.destroy(new Error('cut at the end of the drain'));
}

/** Tells a client to open its next streams elsewhere; every stream it has sent by then is served. */
function notify(session: ServerHttp2Session): void {
  if (!session.closed && !session.destroyed) session.goaway(NO_ERROR, NO_STREAM_REFUSED);
}
