import { type Server, type ServerOptions, createServer } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '../core/clock.js';
import type { ListenerOptions, TlsFiles } from '../core/probe-options.js';
import type { ConnectionCap } from './connection-cap.js';
import { BAD_CERTIFICATE } from './listen-error.js';
import { createTlsReload, readTls } from './tls-files.js';

/** A server for probes, over TCP or TLS; nothing listens yet. */
export interface ProbeServer {
  readonly server: Server;
  /** Looks after changed certificates. */
  look(): void;
  /** Tells the cap of the connection a request came over. */
  setBusy(socket: Socket, busy: boolean): void;
  /** Closes every connection, also one in the middle of its handshake. */
  cut(): void;
}

/** Longer than any usual probe period, so that a prober that keeps its connection finds it open. */
const KEEP_ALIVE_MS = 75_000;

export interface ProbeServerOptions {
  readonly listener: ListenerOptions;
  readonly cap: ConnectionCap;
  readonly clock: Pick<Clock, 'now'>;
  readonly onError: (error: unknown) => void;
}

/**
 * Creates the server.
 * @throws Error of the system or of OpenSSL when certificate or key cannot be used.
 */
export function createProbeServer(options: ProbeServerOptions): ProbeServer {
  const { listener, cap } = options;
  const probeServer =
    listener.tls === undefined
      ? createPlainServer(options)
      : createSecureServer(options, listener.tls);
  // Below TLS, where handshakes that never end count too.
  probeServer.server.on('connection', (socket) => {
    socket.unref();
    cap.add(socket);
  });
  // Probes alone are no reason for a process to live; on a thread, its port keeps it.
  probeServer.server.unref();
  return probeServer;
}

function limits({ headersTimeoutMs, maxHeaderBytes }: ListenerOptions): ServerOptions {
  return {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: headersTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Each check wakes an idle thread up. A slow client goes within twice its time; the cap holds meanwhile.
    connectionsCheckingInterval: headersTimeoutMs,
    // A load balancer's hand-written check often has no Host header, and nothing here depends on it.
    requireHostHeader: false,
  };
}

function createPlainServer({ listener, cap }: ProbeServerOptions): ProbeServer {
  const server = createServer(limits(listener));
  return { server, look() {}, setBusy: cap.setBusy, cut: () => server.closeAllConnections() };
}

function createSecureServer(
  { listener, cap, clock, onError }: ProbeServerOptions,
  tls: TlsFiles,
): ProbeServer {
  const server = openSecure(listener, tls);
  const below = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    below.set(peer, socket);
    socket.once('close', () => below.delete(peer));
  });
  // A handshake that fails is the client's affair: it gets an alert, and the connection is closed.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return {
    server,
    look: createTlsReload({ tls, clock, use: (pem) => server.setSecureContext(pem), onError }),
    setBusy(socket, busy) {
      const connection = below.get(peerOf(socket));
      if (connection !== undefined) cap.setBusy(connection, busy);
    },
    // The server itself knows of a connection only after its handshake.
    cut: () => below.forEach((socket) => socket.destroy()),
  };
}

function openSecure(listener: ListenerOptions, tls: TlsFiles): SecureServer {
  const https = process.getBuiltinModule('node:https');
  try {
    return https.createServer({
      ...limits(listener),
      ...readTls(tls),
      handshakeTimeout: listener.headersTimeoutMs,
      requestCert: tls.clientCa !== undefined,
      rejectUnauthorized: true,
    });
  } catch (error) {
    const { message, code = 'ERR_TLS' } = error as NodeJS.ErrnoException;
    throw Object.assign(new Error(`${BAD_CERTIFICATE}: ${message}`, { cause: error }), { code });
  }
}

/** The same for a TLS socket and the one below it. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
