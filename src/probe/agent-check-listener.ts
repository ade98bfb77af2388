import { type AddressInfo, type Socket, createServer } from 'node:net';
import type { Clock } from '../core/clock.js';
import type { PortOptions } from '../core/probe-options.js';
import { createConnectionCap } from './connection-cap.js';
import { type OpenListener, listenOn } from './open-listener.js';

export interface AgentCheckListenerOptions {
  readonly listener: PortOptions;
  readonly maxConnections: number;
  /** The line to send, as of now. */
  readonly line: () => string;
  readonly clock: Pick<Clock, 'now' | 'setTimeout'>;
  readonly onError: (error: unknown) => void;
}

/**
 * Opens the listener HAProxy's `agent-check` connects to: one line, then the end. What HAProxy sends (`agent-send`) is
 * not read.
 * @throws Error the system's error, with its `code`, when the address cannot be bound.
 */
export async function openAgentCheckListener(
  options: AgentCheckListenerOptions,
): Promise<OpenListener> {
  const { listener, line, maxConnections, clock, onError } = options;
  const cap = createConnectionCap(maxConnections, clock);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    // The other side may reset at any time; there is nothing to do about it.
    socket.on('error', () => {});
    socket.unref();
    cap.add(socket);
    // Drained, or what was sent would turn the end of the connection into a reset that may overtake the line.
    socket.resume();
    socket.end(safely(line, onError));
  });
  server.unref();
  await listenOn(server, listener);
  server.on('error', onError);
  const bound = server.address() as AddressInfo;
  return {
    address: { kind: 'agentCheck', host: bound.address, port: bound.port },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** No line at all leaves the server as it was. */
function safely(line: () => string, onError: (error: unknown) => void): string {
  try {
    return line();
  } catch (error) {
    onError(error);
    return '';
  }
}
