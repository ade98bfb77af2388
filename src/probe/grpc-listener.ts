import { type ServerHttp2Session, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../core/clock.js';
import type { PortOptions } from '../core/probe-options.js';
import { createConnectionCap } from './connection-cap.js';
import { createGrpcExchange } from './grpc-exchange.js';
import type { GrpcServices } from './grpc-services.js';
import { createGrpcWatches } from './grpc-watches.js';
import { type OpenListener, listenOn } from './open-listener.js';

export interface GrpcListenerOptions {
  readonly listener: PortOptions;
  readonly maxConnections: number;
  readonly services: GrpcServices;
  /** Whether the drain is over, and with it every watch. */
  readonly hasStopped: () => boolean;
  readonly clock: Pick<Clock, 'now' | 'setTimeout'>;
  readonly onError: (error: unknown) => void;
}

/** Calls one connection may have open at once. */
const MAX_STREAMS = 100;
/** Time for answers under way when the listener closes. */
const CLOSE_GRACE_MS = 500;

/**
 * Opens the listener for the gRPC Health Checking Protocol, without TLS.
 * @throws Error the system's error, with its `code`, when the address cannot be bound.
 */
export async function openGrpcListener(options: GrpcListenerOptions): Promise<OpenListener> {
  const { listener, services, hasStopped, clock, onError } = options;
  const sessions = new Set<ServerHttp2Session>();
  const watches = createGrpcWatches((service) => services.status(service));
  const server = createGrpcServer(options, sessions);
  server.on('stream', createGrpcExchange({ services, watches, onError }));
  await listenOn(server, listener);
  server.on('error', onError);
  const bound = server.address() as AddressInfo;
  return {
    address: { kind: 'grpc', host: bound.address, port: bound.port },
    look() {
      if (hasStopped()) watches.end();
      else watches.look();
    },
    close: () =>
      new Promise((resolve) => {
        watches.end();
        const timer = clock.setTimeout(
          () => {
            for (const session of sessions) session.destroy();
          },
          CLOSE_GRACE_MS,
          { keepsProcessAlive: true },
        );
        server.close(() => {
          timer.clear();
          resolve();
        });
        // Says GOAWAY and lets the calls that are open end.
        for (const session of sessions) session.close();
      }),
  };
}

function createGrpcServer(
  { maxConnections, clock }: GrpcListenerOptions,
  sessions: Set<ServerHttp2Session>,
): ReturnType<typeof createServer> {
  const cap = createConnectionCap(maxConnections, clock);
  const server = createServer({ settings: { maxConcurrentStreams: MAX_STREAMS } });
  server.on('connection', (socket) => cap.add(socket));
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    // The other side may reset at any time; there is nothing to do about it.
    session.on('error', () => {});
    session.unref();
  });
  server.on('sessionError', () => {});
  // Probes alone are no reason for a process to live; on a thread, its port keeps it.
  server.unref();
  return server;
}
