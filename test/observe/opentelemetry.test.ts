import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import { METRICS, type MetricDefinition } from '../../src/core/metric-definitions.js';
import { observeHealth, otelName } from '../../src/observe/opentelemetry.js';
import { createMetricsKit } from './metrics-kit.js';

class PulledReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}

  /** Every point by the name of its metric. */
  async points(): Promise<Map<string, Points>> {
    const { resourceMetrics, errors } = await this.collect();
    if (errors.length > 0) throw new AggregateError(errors);
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return new Map(
      metrics.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        {
          unit: descriptor.unit,
          values: dataPoints.map(({ attributes, value }) => [attributes, value]),
        },
      ]),
    );
  }
}

interface Points {
  readonly unit: string;
  readonly values: readonly unknown[];
}

function setUp() {
  const reader = new PulledReader();
  const provider = new MeterProvider({ readers: [reader] });
  return { reader, meter: provider.getMeter('hale') };
}

const check = { check: 'a "database"' };

describe('OpenTelemetry', () => {
  it('O1: observes every metric of the list at each collection', async () => {
    const created = createMetricsKit();
    const { reader, meter } = setUp();
    observeHealth(meter, created.health);
    const points = await reader.points();
    expect(created.reads).toBe(1);
    expect(points.get('hale.check_runs')?.values).toStrictEqual([[check, 1]]);
    expect(points.get('hale.check_status')?.values).toStrictEqual([[check, 1]]);
    expect(points.get('hale.check_age')?.unit).toBe('s');
    expect(points.get('hale.build_info')?.values).toStrictEqual([
      [{ version: '1.4.2', release: '', node: process.version }, 1],
    ]);
    created.kit.board.setInFlight(7);
    expect((await reader.points()).get('hale.requests_in_flight')?.values).toStrictEqual([[{}, 7]]);
  });

  it('O1: tells a histogram as counters: buckets, sum and count', async () => {
    const { reader, meter } = setUp();
    observeHealth(meter, createMetricsKit().health);
    const points = await reader.points();
    const buckets = points.get('hale.check_duration.bucket')?.values;
    expect(buckets).toHaveLength(METRICS.checkDuration.buckets.length + 1);
    expect(buckets).toContainEqual([{ ...check, le: '0.005' }, 1]);
    expect(buckets).toContainEqual([{ ...check, le: '+Inf' }, 2]);
    expect(points.get('hale.check_duration.sum')).toStrictEqual({
      unit: 's',
      values: [[check, 0.204]],
    });
    expect(points.get('hale.check_duration.count')?.values).toStrictEqual([[check, 2]]);
  });

  it('O1: names are unique and keep the unit apart', () => {
    const names = Object.values<MetricDefinition>(METRICS).map(otelName);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('hale.not_ready');
    expect(names.filter((name) => /_seconds|_total/.test(name))).toStrictEqual([]);
  });

  it('O1: ends when it is told to', async () => {
    const created = createMetricsKit();
    const { reader, meter } = setUp();
    observeHealth(meter, created.health)();
    await reader.points();
    expect(created.reads).toBe(0);
  });

  it('O1: a wrong argument is named', () => {
    const { meter } = setUp();
    expect(() => observeHealth({} as never, createMetricsKit().health)).toThrow(/meter.*a Meter/s);
    expect(() => observeHealth(meter, {} as never)).toThrow(/health.*what createHealth\(\)/s);
  });
});
