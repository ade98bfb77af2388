import { once } from 'node:events';
import { type Server, type Socket, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RedisLike, redisPing } from '../../src/checks/redis.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { type FaultProxy, createFaultProxy } from '../../src/testing/fault-proxy.js';
import { type CheckHarness, harness } from '../support/run-check.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { startRedis } from '../support/servers/redis.js';
import { findFreePort } from '../support/servers/server-process.js';

const TIMEOUT_MS = 500;
const WITHIN_MS = TIMEOUT_MS + 300;
const PASSWORD = 'hunter2';

let server: ManagedServer;
let proxy: FaultProxy;
const open: (() => unknown)[] = [];

beforeAll(async () => {
  server = await startRedis({ password: PASSWORD });
  proxy = await createFaultProxy({ target: { host: '127.0.0.1', port: server.port } });
});

afterEach(async () => {
  for (const close of open.splice(0)) await close();
  await proxy.set({ kind: 'ok' });
});

afterAll(async () => {
  await proxy.close();
  await server.dispose();
});

/** ioredis with its default options: it queues commands while it has no connection. */
function ioredis(port: number, password = PASSWORD): RedisLike {
  const client = new Redis(port, '127.0.0.1', { password });
  client.on('error', () => {});
  open.push(() => client.disconnect());
  return client;
}

function nodeRedis(port: number, password = PASSWORD): RedisLike {
  const client = createClient({ url: `redis://:${password}@127.0.0.1:${port}` });
  client.on('error', () => {});
  client.connect().catch(() => {});
  open.push(() => client.destroy());
  return client;
}

const started = (client: RedisLike) => harness(redisPing(client), systemClock, TIMEOUT_MS);

async function outcomeInTime(check: CheckHarness) {
  const outcome = await check.run();
  expect(outcome.durationMs).toBeLessThan(WITHIN_MS);
  return outcome;
}

const statusOf = async (check: CheckHarness) => (await outcomeInTime(check)).status;

/** Waits until a run passes; the client may take a moment to reconnect. */
async function passesSoon(check: CheckHarness): Promise<boolean> {
  const giveUpAt = performance.now() + 10_000;
  while ((await check.run()).status !== 'pass') {
    if (performance.now() > giveUpAt) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

describe.each([
  ['ioredis', ioredis],
  ['node-redis', nodeRedis],
])('redisPing with %s against a real Redis', (_, connect) => {
  it('C10: healthy, stopped, restarted: recovers without help', async () => {
    const check = started(connect(server.port));
    expect(await passesSoon(check)).toBe(true);
    await server.stop();
    expect(await statusOf(check)).toBe('fail');
    expect(await statusOf(check)).toBe('fail');
    await server.restart();
    expect(await passesSoon(check)).toBe(true);
  });

  it('C10: frozen: verdict within the deadline, recovers when it goes on', async () => {
    const check = started(connect(server.port));
    expect(await passesSoon(check)).toBe(true);
    server.freeze();
    const outcome = await outcomeInTime(check);
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toContain('no answer to PING');
    server.thaw();
    expect(await passesSoon(check)).toBe(true);
  });

  it.each([
    ['slow', { kind: 'slow', latencyMs: 4_000 }],
    ['cut', { kind: 'cut' }],
    ['refusing', { kind: 'refuse' }],
    ['hanging', { kind: 'hang' }],
  ] as const)(
    'C10: %s: fails within the deadline and recovers without help',
    async (_kind, mode) => {
      const check = started(connect(proxy.port));
      expect(await passesSoon(check)).toBe(true);
      await proxy.set(mode);
      expect(await statusOf(check)).toBe('fail');
      expect(await statusOf(check)).toBe('fail');
      await proxy.set({ kind: 'ok' });
      // Commands that a vanished peer swallowed are answered by nobody: the client must reconnect first.
      if (mode.kind === 'hang')
        await proxy.set({ kind: 'cut' }).then(() => proxy.set({ kind: 'ok' }));
      expect(await passesSoon(check)).toBe(true);
    },
  );

  it('case 34: a closed port: every run ends at its deadline', async () => {
    const check = started(connect(await findFreePort()));
    for (let run = 0; run < 5; run += 1) expect(await statusOf(check)).toBe('fail');
  });

  it('case 34: the deadline holds by itself when nothing tells the state of the client', async () => {
    const client = connect(await findFreePort());
    const outcome = await outcomeInTime(started({ ping: () => client.ping() }));
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toBe('no answer to PING: timed out');
  });

  it('E7: wrong password: fails without the password', async () => {
    const check = started(connect(server.port, 'hunter2-is-wrong'));
    const outcome = await outcomeInTime(check);
    expect(outcome.status).toBe('fail');
    expect(JSON.stringify(outcome)).not.toContain('hunter2');
  });

  it('fails on an answer that is no PONG, naming it', async () => {
    const liar: Server = createServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        const commands = chunk
          .toString()
          .split(/\*\d+\r\n/)
          .slice(1);
        socket.write(
          commands.map((each) => (/ping/i.test(each) ? '+LOADING\r\n' : '+OK\r\n')).join(''),
        );
      });
    }).listen(0, '127.0.0.1');
    await once(liar, 'listening');
    open.push(() => liar.close());
    const check = started(connect((liar.address() as AddressInfo).port));
    await vi.waitFor(
      async () => expect((await check.run()).output).toContain('"LOADING" instead of PONG'),
      { timeout: 5_000 },
    );
  });
});
