import { type AddressInfo, type Server, createServer } from 'node:net';
import type { PortOptions } from '../core/probe-options.js';
import { type ListenAddress, type OpenListener, listenOn } from './open-listener.js';

export interface TcpListenerOptions {
  readonly listener: PortOptions;
  readonly isReady: () => boolean;
  /** The port could not be opened; tried again at the next look. */
  readonly onError: (error: unknown) => void;
}

/**
 * Creates the listener that exists only while readiness passes: for balancers that can do no more than connect. A
 * connection that is accepted is closed again.
 * @throws Error the system's error, with its `code`, when no free port can be picked.
 */
export async function openTcpListener(options: TcpListenerOptions): Promise<OpenListener> {
  const { listener, isReady, onError } = options;
  const { host = '::', port } = listener;
  const at = port === 0 ? await pickPort(listener) : listener;
  let server: Server | undefined;
  let failed = false;
  let closed = false;

  function open(): void {
    const opening = createServer((socket) => socket.destroy());
    opening.unref();
    server = opening;
    opening.on('error', (error) => {
      if (server === opening) server = undefined;
      // Told once: it is tried again at every look.
      if (!failed) onError(error);
      failed = true;
    });
    opening.on('listening', () => (failed = false));
    opening.listen({ ...at, exclusive: true });
  }

  function look(): void {
    const ready = !closed && isReady();
    if (ready === (server !== undefined)) return;
    if (ready) open();
    else {
      server?.close();
      server = undefined;
    }
  }

  look();
  return {
    address: { kind: 'tcp', host, port: at.port },
    look,
    close() {
      closed = true;
      look();
      return Promise.resolve();
    },
  };
}

/** A free port, bound for a moment while nobody can know its number. */
async function pickPort(listener: PortOptions): Promise<ListenAddress> {
  const server = createServer((socket) => socket.destroy());
  await listenOn(server, listener);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { ...listener, port };
}
