import { describe, expect, it } from 'vitest';
import { METRICS } from '../../src/core/metric-definitions.js';
import type { MetricReading } from '../../src/core/metric-readings.js';
import { createThreadReadings } from '../../src/probe/thread-readings.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

const own: MetricReading[] = [{ metric: METRICS.phase, samples: [] }];
const other: MetricReading[] = [{ metric: METRICS.notReady, samples: [] }];

function setUp() {
  const clock = createManualClock();
  const asked: number[] = [];
  const readings = createThreadReadings({
    clock,
    ask: (id) => asked.push(id),
    fallback: () => own,
  });
  return { clock, asked, readings };
}

describe('readings of the probe thread', () => {
  it('O1: each answer reaches who asked, and no timer is left', async () => {
    const { clock, asked, readings } = setUp();
    const first = readings.read();
    const second = readings.read();
    readings.answered(asked[1] ?? 0, other);
    readings.answered(asked[0] ?? 0, own);
    expect(await Promise.all([first, second])).toStrictEqual([own, other]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('O1: without an answer this thread tells what it knows; a late answer is dropped', async () => {
    const { clock, asked, readings } = setUp();
    const read = readings.read();
    await clock.advance(1000);
    expect(await read).toStrictEqual(own);
    readings.answered(asked[0] ?? 0, other);
    expect(clock.pendingTimers).toBe(0);
  });
});
