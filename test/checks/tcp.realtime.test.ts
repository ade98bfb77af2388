import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type TcpAddress, type TcpConnectOptions, tcpConnect } from '../../src/checks/tcp.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { harness } from '../support/run-check.js';

const open = new Set<Socket>();
let server: Server | undefined;

afterEach(async () => {
  for (const socket of open) socket.destroy();
  if (server?.listening === true) await new Promise((resolve) => server?.close(resolve));
});

async function listen(onConnection: (socket: Socket) => void, at: object = { port: 0 }) {
  server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
    // Without a reader the end of the other side would go unseen.
    socket.resume();
    onConnection(socket);
  });
  server.listen({ host: '127.0.0.1', ...at });
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port };
}

const check = (address: TcpAddress, options?: TcpConnectOptions) =>
  harness(tcpConnect(address, options), systemClock, 400);
const sends = (text: string) => (socket: Socket) => void socket.write(text);

describe('tcpConnect against a real server', () => {
  it('passes once connected, and leaves no connection after 200 runs', async () => {
    const tcp = check(await listen(() => {}));
    for (let run = 0; run < 200; run += 1) expect((await tcp.run()).status).toBe('pass');
    await expect.poll(() => open.size).toBe(0);
  });

  it.each([
    [{ expect: '220 ' }],
    [{ expect: new TextEncoder().encode('220 mail') }],
    [{ expect: /^220 .*ESMTP/ }],
    [{ expect: /ESMTP/g }],
  ])('passes on the banner: %o', async (options) => {
    const tcp = check(await listen(sends('220 mail.example ESMTP\r\n')), options);
    for (const run of [1, 2, 3]) expect((await tcp.run()).status, `run ${run}`).toBe('pass');
  });

  it('puts a banner together that comes in pieces', async () => {
    const address = await listen((socket) => {
      socket.setNoDelay(true).write('+PO');
      setTimeout(() => socket.write('NG\r\n'), 50);
    });
    expect((await check(address, { expect: '+PONG' }).run()).status).toBe('pass');
  });

  it('speaks first when told so', async () => {
    const address = await listen((socket) => {
      socket.once('data', (bytes) => socket.write(`echo ${bytes.toString()}`));
    });
    const tcp = check(address, { send: 'ruok', expect: 'echo ruok' });
    expect((await tcp.run()).status).toBe('pass');
  });

  it('fails on other bytes, naming them without their secrets', async () => {
    const address = await listen(sends('HTTP/1.1 401 redis://:hunter2@host\r\n'));
    const outcome = await check(address, { expect: '+OK' }).run();
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toContain('sent "HTTP/1.1 401');
    expect(outcome.output).not.toContain('hunter2');
  });

  it('fails when a pattern does not match within maxBytes', async () => {
    const address = await listen(sends('x'.repeat(50)));
    const outcome = await check(address, { expect: /OK/, maxBytes: 40 }).run();
    expect(outcome).toMatchObject({ status: 'fail' });
    expect(outcome.durationMs).toBeLessThan(350);
  });

  it('fails at once when the server closes or resets instead', async () => {
    const closing = await check(await listen((socket) => socket.end('2')), { expect: '220' }).run();
    expect(closing.output).toMatch(/^127\.0\.0\.1:\d+ closed after 1 bytes$/);
    server?.close();
    const address = await listen((socket) => socket.resetAndDestroy());
    expect((await check(address, { expect: '220' }).run()).output).toContain('ECONNRESET');
  });

  it('holds its deadline before a silent server, and goes', async () => {
    const address = await listen(() => {});
    const outcome = await check(address, { expect: '220' }).run();
    expect(outcome).toMatchObject({ status: 'fail' });
    expect(outcome.output).toMatch(/sent 0 bytes, too few to judge: timed out/);
    expect(outcome.durationMs).toBeLessThan(600);
    await expect.poll(() => open.size).toBe(0);
  });

  it('healthy, stopped, restarted: fails with the cause and recovers without help', async () => {
    const { port } = await listen(() => {});
    const tcp = check({ port });
    expect((await tcp.run()).status).toBe('pass');
    await new Promise((resolve) => server?.close(resolve));
    expect((await tcp.run()).output).toContain(`127.0.0.1:${port} refused: connect ECONNREFUSED`);
    await listen(() => {}, { port });
    expect((await tcp.run()).status).toBe('pass');
  });

  it('connects to a Unix socket', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hale-tcp-'));
    try {
      const socketPath = path.join(folder, 'a.sock');
      await listen(() => {}, { path: socketPath, host: undefined });
      expect((await check({ path: socketPath }).run()).status).toBe('pass');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
