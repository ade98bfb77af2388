import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import type { ConformanceServer } from '../../src/testing/index.js';

/** The password of the {@link LineServer}. */
export const PASSWORD = 'open-sesame';

/** A server in this process that answers `<password>\n` with `welcome\n`, frozen by holding answers back. */
export interface LineServer extends ConformanceServer {
  connections(): number;
}

/** Starts a {@link LineServer} on a free port of 127.0.0.1. */
export async function startLineServer(): Promise<LineServer> {
  const sockets = new Set<Socket>();
  let frozen = false;
  let held: (() => void)[] = [];
  const answer = (socket: Socket, line: string) =>
    socket.write(line.trim() === PASSWORD ? 'welcome\n' : 'go away\n');
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      const reply = () => void answer(socket, chunk.toString());
      if (frozen) held.push(reply);
      else reply();
    });
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    addresses: [{ host: '127.0.0.1', port }],
    start: () => (server.listening ? undefined : listen(port)),
    stop: async () => {
      server.close();
      for (const socket of sockets) socket.resetAndDestroy();
      if (server.listening) await once(server, 'close');
    },
    freeze: () => {
      frozen = true;
    },
    thaw: () => {
      frozen = false;
      for (const reply of held) reply();
      held = [];
    },
    connections: () => sockets.size,
  };
}
