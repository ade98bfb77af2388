import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createBoard } from '../../src/core/board.js';
import { createInFlight } from '../../src/engine/in-flight.js';
import { nextTurn, systemClock } from '../../src/engine/system-clock.js';
import { trackServer } from '../../src/engine/tracked-server.js';

const GET = 'GET /orders?token=secret HTTP/1.1\r\nHost: x\r\n\r\n';
const POST = 'POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi';

const servers = new Set<Server>();

afterEach(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  servers.clear();
});

async function setUp(listener: RequestListener) {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  servers.add(server);
  const inFlight = createInFlight({ clock: systemClock, board: createBoard() });
  const tracked = trackServer(server, { clock: systemClock, inFlight, redact: (text) => text });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return collect(socket);
  };
  return { server, inFlight, tracked, open, port };
}

function collect(socket: Socket) {
  const client = {
    socket,
    text: '',
    error: undefined as Error | undefined,
    closed: once(socket, 'close'),
  };
  socket.on('data', (chunk: Buffer) => (client.text += chunk.toString()));
  socket.on('error', (error) => (client.error = error));
  return client;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

describe('tracked server', () => {
  it('D3: during the delay requests are served and told to close; before it connections are kept', async () => {
    const { tracked, open } = await setUp((_, response) => response.end('ok'));
    const client = await open();
    client.socket.write(GET);
    await until(() => client.text.includes('ok'));
    expect(client.text).toContain('Connection: keep-alive');
    client.text = '';
    tracked.startDraining();
    client.socket.write(GET);
    await client.closed;
    expect(client.text).toContain('HTTP/1.1 200');
    expect(client.text).toContain('Connection: close');
  });

  it('D3: a response that began before the drain is told to close if its headers are not out yet', async () => {
    const { tracked, open, inFlight } = await setUp(
      (_, response) =>
        void nextTurn()
          .then(nextTurn)
          .then(() => nextTurn())
          .then(() => response.end('ok')),
    );
    const client = await open();
    client.socket.write(GET);
    await until(() => inFlight.count === 1);
    expect(inFlight.open()).toEqual(['GET /orders for 0.0 s']);
    tracked.startDraining();
    await client.closed;
    expect(client.text).toContain('Connection: close');
  });

  it('D1: idle and silent connections do not hold the server; the one with a request does until it is answered', async () => {
    let answer = () => {};
    const { tracked, open, inFlight, server } = await setUp((request, response) => {
      if (request.url === '/slow') {
        response.write('begun ');
        answer = () => void response.end('done');
      } else response.end('ok');
    });
    const idle = await open();
    idle.socket.write(GET);
    await until(() => idle.text.includes('ok'));
    const silent = await open();
    const slow = await open();
    slow.socket.write(GET.replace('/orders?token=secret', '/slow'));
    await until(() => slow.text.includes('begun'));
    let stopped = false;
    const stopping = tracked
      .stopAccepting(1000)
      .then(() => tracked.gone())
      .then(() => (stopped = true));
    await Promise.all([idle.closed, silent.closed]);
    expect([stopped, server.listening, inFlight.count, slow.error]).toEqual([
      false,
      false,
      1,
      undefined,
    ]);
    answer();
    await stopping;
    await slow.closed;
    expect(slow.text).toContain('done');
    expect(inFlight.count).toBe(0);
  });

  it('D3: a POST written on kept-alive connections in the same tick as the close is answered, not reset', async () => {
    const { tracked, open } = await setUp((request, response) => {
      request.resume().on('end', () => response.end('created'));
    });
    const clients = await Promise.all(Array.from({ length: 20 }, open));
    for (const { socket } of clients) socket.write(GET);
    await until(() => clients.every(({ text }) => text.includes('created')));
    for (const client of clients) client.text = '';
    for (const { socket } of clients) socket.write(POST);
    const stopping = tracked.stopAccepting(1000).then(() => tracked.gone());
    await Promise.all(clients.map(({ closed }) => closed));
    await stopping;
    expect(clients.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(clients.filter(({ text }) => !text.includes('created'))).toEqual([]);
  });

  it('D3: the same in 150 closes at different moments: of 1,500 POSTs none is reset', async () => {
    const lost: string[] = [];
    let answered = 0;
    for (let close = 0; close < 150; close += 1) {
      const { tracked, open } = await setUp((request, response) => {
        request.resume().on('end', () => response.end('created'));
      });
      const clients = await Promise.all(Array.from({ length: 10 }, open));
      for (const { socket } of clients) socket.write(GET);
      await until(() => clients.every(({ text }) => text.includes('created')));
      // Before, in and after the tick of the close, while connections are still open.
      const [early, rest] = [clients.slice(0, close % 10), clients.slice(close % 10)];
      for (const client of clients) client.text = '';
      for (const { socket } of early) socket.write(POST);
      const stopping = tracked.stopAccepting(1000).then(() => tracked.gone());
      for (const { socket } of rest) socket.write(POST);
      await Promise.all(clients.map(({ closed }) => closed));
      await stopping;
      for (const { text, error } of clients)
        if (error === undefined && text.includes('created')) answered += 1;
        else lost.push(String(error));
    }
    expect(lost).toEqual([]);
    expect(answered).toBe(1500);
  });

  it('H2: a connection that was closed is not open work, even before its last event', async () => {
    const { tracked, open } = await setUp((_, response) => response.end('ok'));
    const idle = await open();
    idle.socket.write(GET);
    await until(() => idle.text.includes('ok'));
    await tracked.stopAccepting(1000).then(() => tracked.gone());
    expect(tracked.open()).toEqual([]);
    await idle.closed;
  });

  it('D2: cut ends every connection, upgraded ones too, after naming what is open', async () => {
    const { tracked, open, server, inFlight } = await setUp(() => {});
    server.on('upgrade', (_, socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
    );
    const stuck = await open();
    stuck.socket.write(GET);
    const upgraded = await open();
    upgraded.socket.write(
      'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    );
    await until(() => upgraded.text.includes('101') && inFlight.count === 1);
    const stopping = tracked.stopAccepting(1000).then(() => tracked.gone());
    await nextTurn();
    expect(tracked.open()).toEqual(['1 connection without a request']);
    await tracked.cut();
    await stopping;
    await Promise.all([stuck.closed, upgraded.closed]);
    await until(() => inFlight.count === 0);
  });

  it('leaves no listener on the server, and a server that never listened ends at once', async () => {
    const server = createServer(() => {});
    const before = ['request', 'connection'].map((event) => server.listenerCount(event));
    const inFlight = createInFlight({ clock: systemClock, board: createBoard() });
    const tracked = trackServer(server, { clock: systemClock, inFlight, redact: (text) => text });
    await tracked.stopAccepting(1000);
    await tracked.gone();
    tracked.release();
    expect(['request', 'connection'].map((event) => server.listenerCount(event))).toEqual(before);
  });
});
