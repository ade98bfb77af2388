import { once } from 'node:events';
import { type Server, type Socket, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type RedisLike, redisPing } from '../../src/checks/redis.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { type CheckHarness, harness } from '../support/run-check.js';
import { findFreePort } from '../support/servers/server-process.js';

const TIMEOUT_MS = 500;
const WITHIN_MS = TIMEOUT_MS + 300;

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** ioredis with its default options: it queues commands while it has no connection. */
function ioredis(port: number): RedisLike {
  const client = new Redis(port, '127.0.0.1');
  client.on('error', () => {});
  open.push(() => client.disconnect());
  return client;
}

function nodeRedis(port: number): RedisLike {
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
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

describe.each([
  ['ioredis', ioredis],
  ['node-redis', nodeRedis],
])('redisPing with %s, its own client and no Redis', (_, connect) => {
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
