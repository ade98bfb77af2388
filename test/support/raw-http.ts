import { type Socket, connect } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/** A connection on which a test writes bytes by hand. */
export interface RawConnection {
  readonly socket: Socket;
  /** Everything received so far. */
  text(): string;
  write(bytes: string | Uint8Array): void;
  /** Resolves once the other side has closed, or rejects after `withinMs`. */
  closed(withinMs?: number): Promise<string>;
  end(): void;
}

/** Connects to a port on loopback. */
export function rawConnection(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  return watched(connect({ port, host }), 'connect');
}

/** The same over TLS, with any certificate unless the options say otherwise. */
export function rawTlsConnection(
  port: number,
  options: ConnectionOptions = {},
): Promise<RawConnection> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  return watched(socket, 'secureConnect');
}

function watched(socket: Socket, readyEvent: string): Promise<RawConnection> {
  return new Promise((resolve, reject) => {
    let text = '';
    const done = new Promise<void>((close) => socket.once('close', () => close()));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.once('error', reject);
    socket.once(readyEvent, () => {
      // From here on a reset is an ordinary way to close.
      socket.on('error', () => {});
      resolve({
        socket,
        text: () => text,
        write: (bytes) => void socket.write(bytes),
        closed: (withinMs = 5000) =>
          within(
            done.then(() => text),
            withinMs,
          ),
        end: () => socket.destroy(),
      });
    });
  });
}

/** Sends bytes and returns what came back until the other side closed. */
export async function exchange(
  port: number,
  bytes: string | Uint8Array,
  open: (port: number) => Promise<RawConnection> = rawConnection,
): Promise<string> {
  const connection = await open(port);
  connection.write(bytes);
  return connection.closed();
}

function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not closed within ${ms} ms`)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
