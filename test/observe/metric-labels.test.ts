import { describe, expect, it } from 'vitest';
import type { MetricReading } from '../../src/core/metric-readings.js';
import { createHealth } from '../../src/index.js';
import { silentLogger } from '../../src/core/logger.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

/** A service on the clock of a test whose checks say something new at every run. */
function chatty() {
  const clock = createManualClock();
  let run = 0;
  const health = createHealth({
    clock,
    random: () => 0,
    isolation: 'inline',
    probes: false,
    diagnostic: false,
    logger: silentLogger,
    signals: false,
    env: {},
    checkDefaults: { intervalMs: 10, failureThreshold: 1, successThreshold: 1 },
    checks: {
      failing() {
        run += 1;
        throw new Error(`connection ${run} to 10.0.0.${run} refused <b>"${run}"</b>\n\u0000`);
      },
      measuring: () => ({ observedValue: run, observedUnit: `unit ${run}`, code: `code_${run}` }),
      flapping: () => ({ status: run % 2 === 0 ? 'pass' : 'fail', output: `text ${run}` }),
    },
  });
  return { health, clock, runs: () => run };
}

function seriesOf(readings: readonly MetricReading[]): string[] {
  return readings.flatMap(({ metric, samples }) =>
    samples.map(({ labels }) => `${metric.name}${JSON.stringify(labels)}`),
  );
}

describe('labels', () => {
  // Three thousand runs: a busy machine takes its time.
  it('O1: 1,000 random paths and 1,000 distinct error texts, codes and units make no new series', async () => {
    const { health, clock, runs } = chatty();
    await health.start();
    await clock.advance(2000);
    const known = new Set(seriesOf(await health.metrics()));
    expect(known.size).toBeGreaterThan(40);
    const before = runs();
    for (let index = 0; index < 1000; index += 1) {
      await health.handle({ url: `/${(index * 7919).toString(36)}/${index}?q=${index}` });
      await health.handle({ url: `/readyz?exclude=check-${index}` });
    }
    while (runs() < before + 1000) await clock.advance(500);
    const after = seriesOf(await health.metrics());
    expect(after.filter((each) => !known.has(each))).toStrictEqual([]);
    await health.dispose();
  }, 20_000);

  it('O1: a check has one series for its number, in the first unit it gave, and none in another', async () => {
    const { health, clock } = chatty();
    await health.start();
    await clock.advance(5);
    const readings = await health.metrics();
    const value = readings.find(({ metric }) => metric.name === 'hale_check_value');
    expect(value?.samples.length).toBeLessThanOrEqual(1);
    const start = readings.find(({ metric }) => metric.name === 'hale_process_start_time_seconds');
    expect(start?.samples).toStrictEqual([{ labels: {}, value: Date.UTC(2026, 0, 1) / 1000 }]);
    await health.dispose();
  });
});
