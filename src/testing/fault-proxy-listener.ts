import { type Server, type Socket, createServer } from 'node:net';

// Below the usual ephemeral range: while the listener is closed, a client that keeps connecting to
// an ephemeral port can connect to itself, and an outgoing socket could take the port meanwhile.
const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;
const ATTEMPTS = 20;

/** A listener that can be closed and opened again on the same port. */
export interface ReopenableListener {
  readonly port: number;
  /** Resolves once it listens; does nothing when it already does. */
  open(): Promise<void>;
  /** From the call on, connecting is refused; the sockets it accepted are not its business. */
  close(): void;
}

function listenOn(
  host: string,
  port: number,
  onConnection: (socket: Socket) => void,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, onConnection);
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.removeListener('error', reject);
      server.on('error', () => {});
      resolve(server);
    });
  });
}

async function listenOnAny(
  host: string,
  onConnection: (socket: Socket) => void,
): Promise<{ server: Server; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    try {
      return { server: await listenOn(host, port, onConnection), port };
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!taken || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Opens a listener; `port` 0 picks a free one that stays its own across close and open. */
export async function createReopenableListener(
  address: { host: string; port: number },
  onConnection: (socket: Socket) => void,
): Promise<ReopenableListener> {
  const { host } = address;
  const first =
    address.port === 0
      ? await listenOnAny(host, onConnection)
      : { server: await listenOn(host, address.port, onConnection), port: address.port };
  let server: Server | undefined = first.server;
  const { port } = first;
  return {
    port,
    async open() {
      server ??= await listenOn(host, port, onConnection);
    },
    close() {
      server?.close();
      server = undefined;
    },
  };
}
