import { afterEach, describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import type { Health } from '../../src/health.js';
import { createLease } from '../../src/lease/keeper.js';
import { memoryLease } from '../../src/lease/stores/memory.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from '../engine/support.js';

const opened: Health[] = [];

afterEach(async () => {
  for (const health of opened.splice(0)) await health.dispose();
});

function instance(store = memoryLease(), clock = createManualClock()) {
  const log = createLog();
  const health = createHealth({
    clock,
    random: () => 0,
    logger: log.logger,
    isolation: 'inline',
    signals: false,
    probes: { port: 0, host: '127.0.0.1' },
    diagnostic: false,
    env: {},
  });
  opened.push(health);
  const lease = createLease({ store, name: 'orders' });
  health.lease(lease);
  const readiness = () => health.report().readiness.reason;
  return { clock, store, health, lease, log, readiness };
}

describe('a lease in the health of a process', () => {
  it('R1: readiness fails with lease_lost until it is held, and a successor takes over after a stop', async () => {
    const first = instance();
    const second = instance(first.store, first.clock);
    await first.health.start();
    await first.clock.advance(1);
    await second.health.start();
    await first.clock.advance(5000);
    expect([first.readiness(), second.readiness()]).toEqual(['ok', 'lease_lost']);
    expect(first.lease.token).toBe(1n);
    const drained = first.health.shutdown();
    await first.clock.advance(3000);
    expect((await drained).exitCode).toBe(0);
    expect(second.lease.token).toBe(2n);
    expect(second.readiness()).toBe('ok');
    const events = first.log.lines.map(({ fields }) => fields['event']);
    expect(events).toContain('lease_released');
  });

  it('a token in the log is not taken for a secret', async () => {
    const { health, clock, log } = instance();
    await health.start();
    await clock.advance(1000);
    const line = log.lines.find(({ fields }) => fields['event'] === 'lease_granted');
    expect(line?.fields['fence']).toBe('1');
    expect(line?.message).toBe('lease "orders" granted with token 1');
  });

  it('dispose leaves no timer', async () => {
    const { health, lease, clock } = instance();
    await health.start();
    await clock.advance(1000);
    await health.dispose();
    expect(lease.signal.aborted).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });
});
