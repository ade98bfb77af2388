import { type Server, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../core/clock.js';
import type { BoundAddress } from '../core/probe-host.js';
import type { ListenerOptions } from '../core/probe-options.js';
import { NO_CACHE } from '../protocol/probe-body.js';
import { createConnectionCap } from './connection-cap.js';
import type { ProbeHandler } from './handler.js';
import { createExchange, send } from './http-exchange.js';
import { refusal } from './prepared.js';
import { type OpenListener, listenOn } from './open-listener.js';

export interface HttpListenerOptions {
  readonly kind: BoundAddress['kind'];
  readonly listener: ListenerOptions;
  readonly handler: ProbeHandler;
  readonly clock: Pick<Clock, 'now' | 'setTimeout'>;
  readonly onError: (error: unknown) => void;
}

/** Longer than any usual probe period, so that a prober that keeps its connection finds it open. */
const KEEP_ALIVE_MS = 75_000;

/** Time for answers under way when the listener closes. */
const CLOSE_GRACE_MS = 500;

const UNMET = refusal(417, 'expectation failed');

const REFUSALS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/**
 * Opens a listener; closing it lets answers that are under way finish for a moment.
 * @throws Error the system's error, with its `code`, when no address can be bound.
 */
export async function openHttpListener(options: HttpListenerOptions): Promise<OpenListener> {
  const { kind, listener, clock, onError } = options;
  const server = createProbeServer(options);
  await listenOn(server, listener);
  server.on('error', onError);
  const bound = server.address() as AddressInfo;
  return {
    address: { kind, host: bound.address, port: bound.port },
    close: () => closeServer(server, clock),
  };
}

function createProbeServer({ listener, handler, clock, onError }: HttpListenerOptions): Server {
  const { headersTimeoutMs, maxHeaderBytes, maxConnections } = listener;
  const cap = createConnectionCap(maxConnections, clock);
  const exchange = createExchange({ handler, cap, onError });
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: headersTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Each check wakes an idle thread up. A slow client goes within twice its time; the cap holds meanwhile.
    connectionsCheckingInterval: headersTimeoutMs,
    // A load balancer's hand-written check often has no Host header, and nothing here depends on it.
    requireHostHeader: false,
  });
  server.on('request', exchange);
  // Answered at once: the body that the client holds back is not wanted.
  server.on('checkContinue', exchange);
  server.on('checkExpectation', (_request, response) => send(response, UNMET));
  server.on('connection', (socket) => {
    socket.unref();
    cap.add(socket);
  });
  server.on('clientError', refuse);
  // Probes alone are no reason for a process to live; on a thread, its port keeps it.
  server.unref();
  return server;
}

/** Answers what could not be parsed, as long as nothing has been answered on the connection, and closes it. */
function refuse(error: NodeJS.ErrnoException, socket: Socket | NodeJS.WritableStream): void {
  const connection = socket as Socket;
  if (!connection.writable || connection.bytesWritten > 0) {
    connection.destroy();
    return;
  }
  const status = REFUSALS[error.code ?? ''] ?? '400 Bad Request';
  const headers = `Cache-Control: ${NO_CACHE}\r\nConnection: close\r\nContent-Length: 0`;
  connection.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n`);
  connection.destroySoon();
}

function closeServer(server: Server, clock: Pick<Clock, 'setTimeout'>): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS, {
      keepsProcessAlive: true,
    });
    server.close(() => {
      timer.clear();
      resolve();
    });
    server.closeIdleConnections();
  });
}
