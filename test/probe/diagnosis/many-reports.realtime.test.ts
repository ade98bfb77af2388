import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { CheckView } from '../../../src/core/probe-state.js';
import { systemClock } from '../../../src/engine/system-clock.js';
import { checkView } from '../../core/probe-state-builders.js';
import { probe, probeOptions } from '../../support/probing.js';
import { createHostKit } from '../host-kit.js';

const CHECKS = 5000;
const READERS = 50;
const STATUS = '/healthz/status';

function failed(index: number): CheckView {
  const wallAt = systemClock.wallNow();
  const output = `connect ECONNREFUSED 10.0.0.${index % 255}:5432 while asking "select 1"`;
  const last = { status: 'fail', code: 'error', output, wallAt, durationMs: 4 } as const;
  const now = systemClock.now();
  return checkView(`check-${index}`, { verdict: 'fail', last, ranAt: now, freshUntil: now + 6e5 });
}

it('E4 E5 L8: fifty reports and pages of 5,000 failing checks, asked for together, neither end the thread nor hold up probes', async () => {
  const { listener } = probeOptions();
  if (listener === false) throw new Error('the probe listener is off');
  const kit = createHostKit('thread', {
    diagnostic: { ...listener, host: '127.0.0.1', tokens: [] },
  });
  const port = await kit.start();
  try {
    kit.host.publish({ checks: Array.from({ length: CHECKS }, (_, index) => failed(index)) });
    const ask = (accept: string) =>
      Array.from({ length: READERS }, () =>
        probe(kit.port('diagnostic'), STATUS, { headers: { accept } }),
      );
    let over = false;
    const reports = Promise.all([...ask('*/*'), ...ask('text/html')]).finally(() => (over = true));
    const probes: number[] = [];
    while (!over) {
      probes.push((await probe(port, '/livez')).status);
      await delay(10);
    }
    const seen = await reports;
    expect(seen.map(({ status }) => status)).toStrictEqual([
      ...Array.from({ length: READERS }, () => 503),
      ...Array.from({ length: READERS }, () => 200),
    ]);
    const [{ text } = { text: '' }] = seen;
    const { diagnosis } = JSON.parse(text) as { diagnosis: { checks: unknown[] } };
    expect(diagnosis.checks).toHaveLength(CHECKS);
    // Between the steps of the reports, not after all of them.
    expect(probes.length).toBeGreaterThan(5);
    expect(probes.every((status) => status === 200)).toBe(true);
    expect(kit.errors).toStrictEqual([]);
  } finally {
    await kit.host.dispose();
  }
}, 60_000);
