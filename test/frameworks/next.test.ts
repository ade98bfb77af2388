import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import { type NextOptions, attachHealthToNext } from '../../src/frameworks/next.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from '../engine/support.js';

const servers = new Set<Server>();

beforeEach(() => vi.stubEnv('NEXT_MANUAL_SIG_HANDLE', undefined));
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  servers.clear();
});

/** A server as Next.js makes one: nobody hands it out. */
async function listen(port = 0): Promise<number> {
  const server = createServer((_request, response) => response.end('next'));
  servers.add(server);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const port = await listen();
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  servers.clear();
  return port;
}

function setUp(options: NextOptions) {
  const clock = createManualClock();
  const health = createHealth({
    isolation: 'inline',
    probes: false,
    diagnostic: false,
    signals: false,
    clock,
    env: {},
    logger: createLog().logger,
  });
  return { clock, health, detach: attachHealthToNext(health, options) };
}

async function ask(port: number, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { connection: 'close' },
  });
  return `${answer.status} ${await answer.text()}`;
}

describe('the server that Next.js creates', () => {
  it('E5, S2: is found when it begins to listen; start-up waits for it', async () => {
    const port = await freePort();
    const { clock, health, detach } = setUp({ port, basePath: '/shop' });
    await health.start();
    await clock.advance(1000);
    expect(health.report().startup).toMatchObject({ complete: false, remaining: ['next'] });
    await listen(port);
    await clock.advance(1);
    expect(health.report().startup.complete).toBe(true);
    expect(await ask(port, '/shop/readyz')).toBe('200 {"status":"pass","reason":"ok"}');
    expect(await ask(port, '/readyz')).toBe('200 next');
    detach();
    expect(await ask(port, '/shop/readyz')).toBe('200 next');
    await health.dispose();
  });

  it('E5, D1: is found when it listens already, and drains', async () => {
    const port = await listen();
    const { clock, health } = setUp({ port });
    await health.start();
    await clock.advance(1);
    expect(health.report().startup.complete).toBe(true);
    expect(await ask(port, '/livez')).toContain('200 {"status":"pass"');
    void health.shutdown('test');
    expect(await ask(port, '/readyz')).toContain('503 {"status":"fail","reason":"draining"');
    await health.dispose();
  });

  it('leaves servers on other ports alone, and its server out of the drain when asked to', async () => {
    const port = await freePort();
    const { clock, health, detach } = setUp({ port, drains: false });
    await health.start();
    const other = await listen();
    expect(await ask(other, '/livez')).toBe('200 next');
    await listen(port);
    expect(await ask(port, '/livez')).toContain('200 {"status":"pass"');
    const drained = health.shutdown('test');
    await clock.advance(10_000);
    expect((await drained).exitCode).toBe(0);
    expect(await ask(port, '/orders')).toBe('200 next');
    detach();
    await health.dispose();
  });

  it('watches no longer once it was taken out', async () => {
    const port = await freePort();
    const { health, detach } = setUp({ port });
    detach();
    await listen(port);
    expect(await ask(port, '/livez')).toBe('200 next');
    await health.dispose();
  });

  it('tells Next.js to leave the signals alone, unless somebody has decided', () => {
    setUp({ port: 1 }).detach();
    expect(process.env['NEXT_MANUAL_SIG_HANDLE']).toBe('true');
    vi.stubEnv('NEXT_MANUAL_SIG_HANDLE', '');
    setUp({ port: 1 }).detach();
    expect(process.env['NEXT_MANUAL_SIG_HANDLE']).toBe('');
  });

  it('takes the port that Next.js takes', async () => {
    const port = await listen();
    vi.stubEnv('PORT', String(port));
    const { health, detach } = setUp({});
    await health.start();
    expect(await ask(port, '/livez')).toContain('200 {"status":"pass"');
    detach();
    await health.dispose();
    expect(() => setUp({ port: 0 })).toThrow('attachHealthToNext.port');
    expect(() => setUp({ port: 1, basePath: 'shop' })).toThrow('basePath');
    // Not when the server is found, where nobody would catch it.
    expect(() => setUp({ port: 1, drains: { loadBalancerIdleTimeoutMs: -1 } })).toThrow(
      'loadBalancerIdleTimeoutMs',
    );
  });
});
