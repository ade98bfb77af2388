import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import type { HealthOptions } from '../../src/core/health-options.js';
import { silentLogger } from '../../src/core/logger.js';

const SIGNALS = ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection'] as const;
const listeners = () => SIGNALS.map((event) => process.listenerCount(event));

function healthAt(port: number, options: HealthOptions = {}) {
  return createHealth({ probes: { port }, diagnostic: false, logger: silentLogger, ...options });
}

async function takenPort() {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const free = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port, free };
}

describe('start', () => {
  it.each(['thread', 'inline'] as const)(
    'E5: can be tried again once the port is free (%s), and leaves no listener in between',
    async (isolation) => {
      const before = listeners();
      const { port, free } = await takenPort();
      await using health = healthAt(port, { isolation });
      await expect(health.start()).rejects.toMatchObject({ code: 'HALE_PORT_IN_USE' });
      expect(listeners()).toEqual(before);
      await free();
      await expect(health.start()).resolves.toMatchObject([{ port }]);
      expect(health.start()).toBe(health.start());
    },
  );

  it('D1: handles signals from its first moment on', async () => {
    const before = listeners();
    const health = healthAt(0);
    const starting = health.start();
    expect(listeners()).toEqual(before.map((count) => count + 1));
    await starting;
    expect(listeners()).toEqual(before.map((count) => count + 1));
    await health.dispose();
    expect(listeners()).toEqual(before);
  });

  it('refuses options that are none', () => {
    for (const none of [null, 5, 'x', [], () => {}])
      expect(() => createHealth(none as never)).toThrow('options must be an object, got');
  });

  it('D1: shutdown drains whatever it is given as its reason', async () => {
    for (const [reason, text] of [
      [Symbol('x'), 'threw Symbol(x)'],
      [new Error('lost'), 'lost'],
      ['asked', 'asked'],
    ]) {
      await using health = healthAt(0, { isolation: 'inline', signals: false });
      await health.start();
      const shutdown = health.shutdown.bind(health) as (given: unknown) => Promise<unknown>;
      await expect(shutdown(reason)).resolves.toMatchObject({ reason: text, exitCode: 0 });
    }
  });

  it('refuses what JavaScript callers get wrong, instead of failing at the end of the process', () => {
    const health = healthAt(0, { isolation: 'inline' }) as unknown as Record<
      'onShutdown' | 'onChange' | 'warmUp' | 'startupTask',
      (...given: unknown[]) => unknown
    >;
    const hook = () => {};
    const calls: [() => unknown, string][] = [
      [() => health.onShutdown('pool'), 'onShutdown.pool (the hook) must be a function'],
      [() => health.onShutdown('pool', hook, null), 'onShutdown.pool must be an object, got null'],
      [() => health.onShutdown('pool', hook, { stage: 'closer' }), 'onShutdown.pool.stage must be'],
      [() => health.onShutdown('pool', hook, { open: 1 }), 'onShutdown.pool.open must be a func'],
      [() => health.onShutdown('pool', hook, { independent: 'no' }), 'pool.independent must be'],
      [() => health.onChange('x'), 'onChange (a listener) must be a function'],
      [() => health.warmUp('cache'), 'warmUp.cache must be an object, got undefined'],
      [() => health.startupTask('load', null), 'startupTask.load must be an object, got null'],
    ];
    for (const [call, message] of calls) expect(call).toThrow(message);
  });
});
