import { describe, expect, it } from 'vitest';
import { createHealth } from '../../src/index.js';
import type { CheckReturn } from '../../src/core/check.js';
import type { LogFields, Logger } from '../../src/core/logger.js';
import type { LeaseStore } from '../../src/core/lease-store.js';
import { createLease } from '../../src/lease/index.js';
import { memoryLease } from '../../src/lease/stores/memory.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

function recording(): { logger: Logger; lines: LogFields[] } {
  const lines: LogFields[] = [];
  const log = (fields: LogFields): void => void lines.push(fields);
  return { logger: { info: log, warn: log, error: log }, lines };
}

/** A process whose database is down every other second. */
async function start(run: () => Promise<CheckReturn>) {
  const clock = createManualClock();
  const { logger, lines } = recording();
  const health = createHealth({
    ...{ clock, logger, isolation: 'inline', signals: false, env: {} },
    probes: { host: '127.0.0.1', port: 0 },
    diagnostic: false,
    version: '1.2.3',
    releaseId: 'abc',
    checks: {
      database: { run, intervalMs: 1000, failureThreshold: 1, successThreshold: 1 },
    },
  });
  await health.start();
  await clock.advance(5000);
  return { clock, health, lines };
}

describe('log volume', () => {
  it.each<[string, () => Promise<CheckReturn>]>([
    // Damped: who falls again and again must hold longer before it is believed.
    ['fails', () => Promise.reject(new Error('down'))],
    // A warning is told as it is, so here the lines alone are bounded.
    ['warns', () => Promise.resolve({ status: 'warn', output: 'slow' })],
  ])(
    'O2: a dependency that %s every other second for an hour makes a bounded number of lines',
    async (_, trouble) => {
      let runs = 0;
      const { clock, health, lines } = await start(() => {
        runs += 1;
        return runs % 2 === 0 ? Promise.resolve() : trouble();
      });
      const before = lines.length;
      // In steps: the beat of an hour in one go takes long.
      for (let second = 0; second < 3600; second += 1) await clock.advance(1000);
      await health.dispose();
      expect(runs).toBeGreaterThan(3000);
      const flapped = lines.slice(before).filter(({ event }) => event !== 'inline_isolation');
      expect(flapped.length).toBeGreaterThan(2);
      // Ten and one a minute, for the check and for readiness.
      expect(flapped.length).toBeLessThanOrEqual(2 * (10 + 60 + 1));
    },
    20_000,
  );

  it('O2: a listener that throws at each change of an hour makes a bounded number of lines', async () => {
    let runs = 0;
    const { clock, health, lines } = await start(async () => {
      runs += 1;
      return { status: runs % 2 === 0 ? 'pass' : 'warn' };
    });
    let changes = 0;
    health.onChange(() => {
      changes += 1;
      throw new Error('no room in this listener');
    });
    for (let second = 0; second < 3600; second += 1) await clock.advance(1000);
    await health.dispose();
    expect(changes).toBeGreaterThan(3000);
    const told = lines.filter(({ event }) => event === 'listener_error');
    expect(told.length).toBeGreaterThan(1);
    expect(told.length).toBeLessThanOrEqual(10 + 60 + 1);
  }, 20_000);

  it('O2, H4: a registry that offers old tokens for an hour makes a bounded number of lines', async () => {
    const { clock, health, lines } = await start(() => Promise.resolve());
    const store = memoryLease();
    let offered = 0n;
    const forgetful: LeaseStore = {
      ...store,
      // Every name is free again at once, and its tokens begin anew after the first.
      async acquire() {
        offered += 1n;
        return { kind: 'granted', token: offered === 1n ? 1_000_000n : offered, ttlMs: 30_000 };
      },
      renew: async () => ({ kind: 'lost', owner: {} }),
      release: async () => ({ kind: 'released' }),
    };
    const lease = createLease({ store: forgetful, name: 'orders', onLost: 'pause', fence() {} });
    health.lease(lease);
    const before = lines.length;
    for (let minute = 0; minute < 60; minute += 1) await clock.advance(60_000);
    expect(offered).toBeGreaterThan(1000n);
    const told = lines.slice(before);
    expect(told.map(({ event }) => event)).toContain('lease_token_regressed');
    // What was offered, and what was given back.
    expect(told.length).toBeLessThanOrEqual(2 * (10 + 60 + 1) + 10);
    await health.dispose();
  }, 20_000);

  it('O2: ten thousand probes make no line', async () => {
    const { health, lines } = await start(() => Promise.resolve());
    const before = lines.length;
    for (let index = 0; index < 10_000; index += 1) {
      const path = ['/livez', '/readyz', '/startupz', '/nowhere'][index % 4] as string;
      await health.handle({ url: path });
    }
    expect(lines).toHaveLength(before);
    await health.dispose();
  });

  it('O2: a transition tells reason, previous state, how long it lasted, age, in-flight, release, instance', async () => {
    let down = false;
    const { clock, health, lines } = await start(() =>
      down ? Promise.reject(new Error('down')) : Promise.resolve(),
    );
    down = true;
    await clock.advance(3000);
    const context = {
      inFlight: 0,
      version: '1.2.3',
      releaseId: 'abc',
      instance: expect.stringMatching(/./),
      snapshotAgeMs: expect.any(Number),
      lastedMs: expect.any(Number),
    };
    expect(
      lines.find(({ event, to }) => event === 'check_transition' && to === 'fail'),
    ).toMatchObject({
      ...context,
      check: 'database',
      from: 'pass',
      output: 'down',
    });
    expect(
      lines.find(({ event, previous }) => event === 'readiness' && previous === 'ok'),
    ).toMatchObject({
      ...context,
      previous: 'ok',
      reason: 'check_failed:database',
    });
    await health.dispose();
  });
});
