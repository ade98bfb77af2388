import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import memjs from 'memjs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TcpAddress, memcachedPing, memjsPing } from '../../src/checks/memcached.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { createFaultProxy } from '../../src/testing/fault-proxy.js';
import { itConforms } from '../support/conformance.js';
import { type CheckHarness, harness } from '../support/run-check.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { startMemcached } from '../support/servers/memcached.js';
import { findFreePort } from '../support/servers/server-process.js';

const TIMEOUT_MS = 400;

let server: ManagedServer;
const open: (() => unknown)[] = [];

beforeAll(async () => {
  server = await startMemcached();
});

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

afterAll(() => server.dispose());

const quiet = { log: () => {} };

describe('memcachedPing against a real memcached', () => {
  itConforms({
    name: 'memcachedPing',
    server: () => server,
    createSubject: ({ host, port }) => memcachedPing({ host, port }),
    exceptions: { wrong_password: { because: 'it sends no password' } },
  });
});

/** Destroys what memjs forgets: it ends a connection politely, and often not the one it has. */
function memjsClient(port: number): { client: memjs.Client; close: () => void } {
  const sockets: Socket[] = [];
  const onSocket = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', onSocket);
  const options = { logger: quiet, timeout: 0.2, conntimeout: 0.2 };
  const client = memjs.Client.create(`127.0.0.1:${port}`, options);
  const close = () => {
    unsubscribe('net.client.socket', onSocket);
    client.close();
    for (const socket of sockets) if (socket.remotePort === port) socket.destroy();
  };
  return { client, close };
}

describe('memjsPing against a real memcached', () => {
  itConforms({
    name: 'memjsPing',
    server: () => server,
    createSubject: ({ port }) => {
      const { client, close } = memjsClient(port);
      return { check: memjsPing(client), close };
    },
    exceptions: {
      wrong_password: { because: 'memcached is built without a password store' },
      reset_midway: { because: 'memjs does not survive it, see below' },
      leak: { because: 'memjs forgets a connection with each answer that does not come' },
    },
  });

  it('a client that does not survive a cut answer: fails for as long as it is kept', async () => {
    const proxy = await createFaultProxy({ target: { host: '127.0.0.1', port: server.port } });
    open.push(() => proxy.close());
    const { client, close } = memjsClient(proxy.port);
    open.push(close);
    const check = harness(memjsPing(client), systemClock, TIMEOUT_MS);
    expect((await check.run()).status).toBe('pass');
    await proxy.set({ kind: 'reset-after', bytes: 3 });
    expect((await check.run()).status).toBe('fail');
    await proxy.set({ kind: 'ok' });
    const statuses = [];
    for (let run = 0; run < 3; run += 1) statuses.push((await check.run()).status);
    expect(statuses).toEqual(['fail', 'fail', 'fail']);
    const fresh = memjsClient(proxy.port);
    open.push(fresh.close);
    expect((await harness(memjsPing(fresh.client), systemClock).run()).status).toBe('pass');
  });

  it('one server of two is away: warns, and names it', async () => {
    const port = await findFreePort();
    const client = memjs.Client.create(`127.0.0.1:${server.port},127.0.0.1:${port}`, {
      logger: quiet,
    });
    open.push(() => client.close());
    expect(await harness(memjsPing(client), systemClock).run()).toMatchObject({
      status: 'warn',
      code: 'servers_away',
      output: expect.stringContaining(`1 of 2 servers answered, 127.0.0.1:${port}: `) as string,
    });
  });
});

describe('memcachedPing against servers that are none', () => {
  function started(address: TcpAddress): CheckHarness {
    const check = harness(memcachedPing(address), systemClock, TIMEOUT_MS);
    open.push(() => check.dispose());
    return check;
  }

  /** Answers each chunk with the text; how many connections it has had, and has. */
  async function answering(text: string, listenOn?: string) {
    const sockets = new Set<Socket>();
    let accepted = 0;
    const liar = createServer((socket) => {
      accepted += 1;
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
      socket.on('data', () => socket.write(text));
    });
    if (listenOn === undefined) liar.listen(0, '127.0.0.1');
    else liar.listen(listenOn);
    await once(liar, 'listening');
    open.push(() => {
      for (const socket of sockets) socket.destroy();
      liar.close();
    });
    const address: TcpAddress =
      listenOn === undefined ? { port: (liar.address() as AddressInfo).port } : { path: listenOn };
    return { address, sockets, accepted: () => accepted };
  }

  it.each([
    [
      'CLIENT_ERROR unauthenticated\r\n',
      'version was answered with "CLIENT_ERROR unauthenticated"',
    ],
    ['ERROR\r\n', 'version was answered with "ERROR"'],
    ['x'.repeat(2_000), 'sent what nobody asked for'],
    ['VERSION 1.6.18', 'timed out'],
  ])('fails on %j', async (text, message) => {
    const { address } = await answering(text);
    const outcome = await started(address).run();
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toContain(message);
  });

  it('what comes unasked ends the connection, not the process, and the next run passes', async () => {
    const { address, sockets, accepted } = await answering('VERSION 1\r\n');
    const check = started(address);
    expect((await check.run()).status).toBe('pass');
    for (const socket of sockets) socket.write('VERSION 1\r\n');
    await vi.waitFor(() => expect(sockets.size).toBe(0));
    expect((await check.run()).status).toBe('pass');
    expect(accepted()).toBe(2);
  });

  it('asks through a Unix socket', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hale-memcached-'));
    open.push(() => rmSync(folder, { recursive: true, force: true }));
    const { address } = await answering('VERSION 1\r\n', join(folder, 'socket'));
    expect((await started(address).run()).status).toBe('pass');
  });

  it('names the server that is not there', async () => {
    const port = await findFreePort();
    const outcome = await started({ port }).run();
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toContain(`127.0.0.1:${port} refused or broke the connection`);
  });
});
