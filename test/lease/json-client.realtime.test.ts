import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { JsonClient, type JsonTls } from '../../src/lease/json-client.js';

const MOST_CHARS = 1000;

let server: Server;
let url: string;
let answer: (response: ServerResponse) => void;
const sockets = new Set<Socket>();

beforeEach(async () => {
  server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/any`;
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

const isClosed = () => vi.waitFor(() => expect(sockets.size).toBe(0), 5000);
const inTime = () => AbortSignal.timeout(5000);

describe('JsonClient', () => {
  it('H1: keeps one connection, and closes it', async () => {
    answer = (response) => response.writeHead(418).end('{"a":1}');
    const client = new JsonClient(() => ({}));
    for (let asked = 0; asked < 3; asked += 1)
      expect(await client.ask({ method: 'GET', url }, inTime())).toMatchObject({
        status: 418,
        text: '{"a":1}',
        body: { a: 1 },
      });
    expect(sockets.size).toBe(1);
    client.close();
    await isClosed();
  });

  it('H1: gives up a server that says nothing, or half of an answer, when the signal aborts', async () => {
    const client = new JsonClient(() => ({}));
    for (const half of [undefined, '{"a":'] as const) {
      answer = (response) => void (half !== undefined && response.write(half));
      const given = new AbortController();
      const asked = client.ask({ method: 'POST', url, body: {} }, given.signal);
      setTimeout(() => given.abort(new Error('given up')), 50);
      await expect(asked).rejects.toThrow('given up');
      await isClosed();
    }
  });

  it('H1: an answer that is cut off or too long is none', async () => {
    const client = new JsonClient(() => ({}), MOST_CHARS);
    answer = (response) => {
      response.write('{');
      setTimeout(() => response.destroy(), 20);
    };
    await expect(client.ask({ method: 'GET', url }, inTime())).rejects.toThrow('aborted');
    answer = (response) => void response.write('x'.repeat(MOST_CHARS + 1));
    await expect(client.ask({ method: 'GET', url }, inTime())).rejects.toThrow('too long');
    await isClosed();
  });

  it('H1: asks for its certificates anew after a failure', async () => {
    const tls = vi.fn<() => JsonTls>(() => ({}));
    const client = new JsonClient(tls);
    answer = (response) => response.end('{}');
    await client.ask({ method: 'GET', url }, inTime());
    await client.ask({ method: 'GET', url }, inTime());
    expect(tls).toHaveBeenCalledTimes(1);
    answer = (response) => response.destroy();
    await expect(client.ask({ method: 'GET', url }, inTime())).rejects.toThrow('hang up');
    answer = (response) => response.end('{}');
    await client.ask({ method: 'GET', url }, inTime());
    expect(tls).toHaveBeenCalledTimes(2);
    client.close();
    await isClosed();
  });

  it.each([
    ['ends', (response: ServerResponse) => response.end('{"n":1}\n{"n":2}\nno JSON\n')],
    [
      'is cut off',
      (response: ServerResponse) => cutAfter(response, '{"n":1}\n{"n":2}\nno JSON\n{'),
    ],
    ['has a line that is too long', (response: ServerResponse) => endless(response)],
  ])('H7: a stream that %s has told its lines, and says once that it is over', async (_, given) => {
    answer = given;
    const lines: unknown[] = [];
    const end = vi.fn<() => void>();
    const client = new JsonClient(() => ({}), MOST_CHARS);
    client.stream({ method: 'POST', url, body: {} }, { line: (body) => lines.push(body), end });
    await vi.waitFor(() => expect(end).toHaveBeenCalled(), 5000);
    await isClosed();
    expect(end).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([{ n: 1 }, { n: 2 }, undefined]);
  });

  it('H7: a stream that is closed tells nothing any more', async () => {
    answer = (response) => void response.write('{"n":1}\n');
    const lines: unknown[] = [];
    const end = vi.fn<() => void>();
    const client = new JsonClient(() => ({}));
    const stream = client.stream({ method: 'POST', url }, { line: (n) => lines.push(n), end });
    await vi.waitFor(() => expect(lines).toHaveLength(1), 5000);
    stream.close();
    await isClosed();
    expect(end).not.toHaveBeenCalled();
  });
});

function cutAfter(response: ServerResponse, text: string): void {
  response.write(text);
  setTimeout(() => response.destroy(), 20);
}

function endless(response: ServerResponse): void {
  response.write(`{"n":1}\n{"n":2}\nno JSON\n${'x'.repeat(MOST_CHARS + 1)}`);
}
