import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../core/clock.js';
import type { BoundAddress } from '../core/probe-host.js';
import type { ListenerOptions } from '../core/probe-options.js';
import { NO_CACHE } from '../protocol/probe-body.js';
import type { AccessGuard } from './access-guard.js';
import { createConnectionCap } from './connection-cap.js';
import type { EventStreams } from './diagnosis/event-streams.js';
import type { ProbeHandler } from './handler.js';
import { createExchange, send } from './http-exchange.js';
import type { Pace } from './pace.js';
import { refusal } from './prepared.js';
import { type OpenListener, listenOn } from './open-listener.js';
import { type ProbeServer, createProbeServer } from './probe-server.js';

export interface HttpListenerOptions {
  readonly kind: BoundAddress['kind'];
  readonly listener: ListenerOptions;
  readonly handler: ProbeHandler;
  /** Whom to answer at all. @defaultValue everybody */
  readonly guard?: AccessGuard | undefined;
  /** Streams beside the answers. @defaultValue none */
  readonly events?: EventStreams | undefined;
  /** Sends what is large. @defaultValue at once */
  readonly pace?: Pace | undefined;
  readonly clock: Pick<Clock, 'now' | 'setTimeout'>;
  readonly onError: (error: unknown) => void;
}

/** Time for answers under way when the listener closes. */
const CLOSE_GRACE_MS = 500;

const UNMET = refusal(417, 'expectation failed');

const REFUSALS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/**
 * Opens a listener; closing it lets answers that are under way finish for a moment.
 * @throws Error the system's error, with its `code`, when no address can be bound or a certificate cannot be used.
 */
export async function openHttpListener(options: HttpListenerOptions): Promise<OpenListener> {
  const { kind, listener, handler, guard, events, pace, clock, onError } = options;
  const cap = createConnectionCap(listener.maxConnections, clock);
  const probeServer = createProbeServer({ listener, cap, clock, onError });
  const { server, look, setBusy } = probeServer;
  const exchange = createExchange({ handler, guard, events, pace, setBusy, onError });
  server.on('request', exchange);
  // Answered at once: the body that the client holds back is not wanted.
  server.on('checkContinue', exchange);
  server.on('checkExpectation', (request, response) => send(response, guard?.(request) ?? UNMET));
  server.on('clientError', refuse);
  await listenOn(server, listener);
  server.on('error', onError);
  const bound = server.address() as AddressInfo;
  return {
    address: { kind, host: bound.address, port: bound.port },
    look,
    close: () => closeServer(probeServer, clock),
  };
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

function closeServer(
  { server, cut }: ProbeServer,
  clock: Pick<Clock, 'setTimeout'>,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(cut, CLOSE_GRACE_MS, { keepsProcessAlive: true });
    server.close(() => {
      timer.clear();
      resolve();
    });
    server.closeIdleConnections();
  });
}
