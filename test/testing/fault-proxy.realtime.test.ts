import { once } from 'node:events';
import { type Server, type Socket, connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { isHaleError } from '../../src/core/errors.js';
import { type FaultProxy, createFaultProxy } from '../../src/testing/fault-proxy.js';

const HOST = '127.0.0.1';
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0).toReversed()) await thing.close();
});

function track<T extends { close(): unknown }>(thing: T): T {
  open.push(thing);
  return thing;
}

async function startEcho(): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.pipe(socket);
  });
  await once(server.listen(0, HOST), 'listening');
  track({
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return { port: (server.address() as { port: number }).port, sockets };
}

async function startProxied(): Promise<{ proxy: FaultProxy; sockets: Set<Socket> }> {
  const { port, sockets } = await startEcho();
  return { proxy: track(await createFaultProxy({ target: { host: HOST, port } })), sockets };
}

interface Client {
  socket: Socket;
  /** Resolves with `end`, or the error's code, or `closed`. */
  ended: Promise<string>;
  /** Everything received so far. */
  received(): string;
  ask(text: string, withinMs?: number): Promise<'answered' | 'silent'>;
}

function client(port: number): Client {
  const socket = connect({ host: HOST, port });
  open.push({ close: () => socket.destroy() });
  let received = '';
  socket.on('data', (chunk) => (received += String(chunk)));
  const ended = new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    socket.on('end', () => resolve('end'));
    socket.on('close', () => resolve('closed'));
  });
  async function ask(text: string, withinMs = 2_000): Promise<'answered' | 'silent'> {
    const before = received.length;
    socket.write(text);
    const until = performance.now() + withinMs;
    while (received.length < before + text.length) {
      if (performance.now() > until) return 'silent';
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return 'answered';
  }
  return { socket, ended, received: () => received, ask };
}

async function eventually(holds: () => boolean, withinMs = 2_000): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (!holds() && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return holds();
}

describe('the fault proxy', () => {
  it('ok: carries bytes both ways and ends in order', async () => {
    const { proxy } = await startProxied();
    const one = client(proxy.port);
    expect(await one.ask('hello')).toBe('answered');
    one.socket.end('bye');
    expect(await one.ended).toBe('end');
    expect(one.received()).toBe('hellobye');
    expect(await eventually(() => proxy.connections === 0)).toBe(true);
  });

  it('ok: carries 20 MB through a client that reads slowly, without loss', async () => {
    const { proxy } = await startProxied();
    const { socket } = client(proxy.port);
    socket.removeAllListeners('data');
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      socket.pause();
      setImmediate(() => socket.resume());
    });
    socket.end(Buffer.alloc(20_000_000, 1));
    await once(socket, 'end');
    expect(bytes).toBe(20_000_000);
  });

  it('slow: adds its latency once per round trip, keeps order, and removing it flushes', async () => {
    const { proxy } = await startProxied();
    const one = client(proxy.port);
    await proxy.set({ kind: 'slow', latencyMs: 300 });
    const startedAt = performance.now();
    expect(await one.ask('a')).toBe('answered');
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThanOrEqual(295);
    expect(tookMs).toBeLessThan(590);

    await proxy.set({ kind: 'slow', latencyMs: 60_000 });
    for (const letter of 'bcdef') expect(await one.ask(letter, 10)).toBe('silent');
    await proxy.set({ kind: 'ok' });
    expect(await eventually(() => one.received() === 'abcdef', 500)).toBe(true);
  });

  it('cut: resets what is open, and what connects, until it is ok again', async () => {
    const { proxy, sockets } = await startProxied();
    const before = client(proxy.port);
    await before.ask('x');
    await proxy.set({ kind: 'cut' });
    expect(await before.ended).toBe('ECONNRESET');
    expect(await client(proxy.port).ended).toBe('ECONNRESET');
    expect(await eventually(() => sockets.size === 0)).toBe(true);
    await proxy.set({ kind: 'ok' });
    expect(await client(proxy.port).ask('y')).toBe('answered');
  });

  it('cut: leaves nothing of a connection that is just ending', async () => {
    const server = createServer((socket) => void socket.on('error', () => {}).end('bye'));
    await once(server.listen(0, HOST), 'listening');
    track({ close: () => server.close() });
    const { port } = server.address() as { port: number };
    const proxy = track(await createFaultProxy({ target: { host: HOST, port } }));
    for (let turn = 0; turn < 30; turn += 1) {
      await Promise.race([1, 2, 3].map(() => client(proxy.port).ended));
      await proxy.set({ kind: 'cut' });
      await proxy.set({ kind: 'ok' });
    }
    await expect.poll(() => proxy.connections).toBe(0);
    expect(proxy.accepted).toBeGreaterThanOrEqual(30);
  });

  it('refuse: refuses to connect and comes back on the same port', async () => {
    const { proxy } = await startProxied();
    const before = client(proxy.port);
    await before.ask('x');
    const { port } = proxy;
    await proxy.set({ kind: 'refuse' });
    expect(await before.ended).toBe('ECONNRESET');
    expect(await client(port).ended).toBe('ECONNREFUSED');
    await proxy.set({ kind: 'ok' });
    expect(proxy.port).toBe(port);
    expect(await client(port).ask('y')).toBe('answered');
  });

  it('hang: accepts and says nothing; leaving it resets what lost bytes and spares the rest', async () => {
    const { proxy } = await startProxied();
    const quiet = client(proxy.port);
    const asking = client(proxy.port);
    await quiet.ask('x');
    await asking.ask('x');
    await proxy.set({ kind: 'hang' });
    const late = client(proxy.port);
    expect(await asking.ask('lost', 60)).toBe('silent');
    expect(await late.ask('lost', 60)).toBe('silent');
    await proxy.set({ kind: 'ok' });
    expect(await asking.ended).toBe('ECONNRESET');
    expect(await late.ended).toBe('ECONNRESET');
    expect(await quiet.ask('y')).toBe('answered');
  });

  it('oscillate: alternates between cut and ok', async () => {
    const { proxy } = await startProxied();
    await proxy.set({ kind: 'oscillate', periodMs: 150 });
    expect(await client(proxy.port).ended).toBe('ECONNRESET');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const good = client(proxy.port);
    expect(await good.ask('x', 80)).toBe('answered');
    expect(await good.ended).toBe('ECONNRESET');
  });

  it('reset-after: ends in the middle of an answer', async () => {
    const { proxy } = await startProxied();
    const one = client(proxy.port);
    await one.ask('before');
    await proxy.set({ kind: 'reset-after', bytes: 3 });
    one.socket.write('abcdef');
    expect(await one.ended).toBe('ECONNRESET');
    expect(one.received()).toBe('beforeabc');
  });

  it('resets the client when the target is not reachable', async () => {
    const { port } = await startEcho();
    await open.pop()?.close();
    const proxy = track(await createFaultProxy({ target: { host: HOST, port } }));
    expect(await client(proxy.port).ended).toBe('ECONNRESET');
    expect(await eventually(() => proxy.connections === 0)).toBe(true);
  });

  it('close: resets, refuses and leaves nothing behind, in every mode and twice', async () => {
    for (const mode of [
      { kind: 'slow', latencyMs: 60_000 },
      { kind: 'hang' },
      { kind: 'oscillate', periodMs: 50 },
      { kind: 'refuse' },
    ] as const) {
      const { proxy, sockets } = await startProxied();
      const one = client(proxy.port);
      await one.ask('x');
      await proxy.set(mode);
      one.socket.write('never answered');
      await Promise.all([proxy.close(), proxy.close()]);
      await one.ended;
      expect(await eventually(() => proxy.connections === 0 && sockets.size === 0)).toBe(true);
      expect(await client(proxy.port).ended).toBe('ECONNREFUSED');
      await proxy.set({ kind: 'ok' });
      expect(await client(proxy.port).ended).toBe('ECONNREFUSED');
    }
  });

  it('names the option, the range and the value of a bad mode, and keeps the old one', async () => {
    const { proxy } = await startProxied();
    for (const [mode, text] of [
      [{ kind: 'slow', latencyMs: -1 }, /mode\.latencyMs must be a number from 0 .*got -1/],
      [{ kind: 'oscillate', periodMs: 0 }, /mode\.periodMs must be a number from 1 .*got 0/],
      [{ kind: 'reset-after', bytes: 1.5 }, /mode\.bytes must be a whole number .*got 1\.5/],
      [{ kind: 'melt' }, /mode\.kind must be one of "ok".*got "melt"/],
    ] as const) {
      const error = await proxy.set(mode as never).catch((reason: unknown) => reason);
      expect(isHaleError(error, 'HALE_OPTION_INVALID')).toBe(true);
      expect((error as Error).message).toMatch(text);
    }
    expect(proxy.mode).toEqual({ kind: 'ok' });
    await expect(createFaultProxy({ target: { host: HOST, port: 0 } })).rejects.toThrow(
      /target\.port must be a whole number from 1 to 65535, got 0/,
    );
  });
});
