import { OptionError } from '../core/errors.js';
import { cumulative, histogramCount } from '../core/histogram.js';
import { METRICS, type MetricDefinition } from '../core/metric-definitions.js';
import type { MetricReading, MetricSample } from '../core/metric-readings.js';
import { type ReadableHealth, readableHealth } from './readable-health.js';
import { createSharedRead } from './shared-read.js';

/** The part of a `Registry` of prom-client (14 and 15) that is used. */
export interface PromRegistry {
  registerMetric(metric: never): void;
  removeSingleMetric(name: string): void;
}

/** What a registry of prom-client asks of a metric. */
interface PromMetric {
  name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly aggregator: 'sum' | 'first';
  get(): Promise<object>;
  /** Called by `resetMetrics()`: what hale has counted is not the registry's to forget. */
  reset(): void;
}

/**
 * Adds hale's metrics to a registry of prom-client, under the names of `/metrics`, read when the registry is. The returned
 * function takes them out again.
 * @throws OptionError when `registry` or `health` is none.
 * @throws Error of prom-client's own when the registry has a metric of the same name.
 */
export function addToRegistry(registry: PromRegistry, health: ReadableHealth): () => void {
  if (typeof registry?.registerMetric !== 'function')
    throw new OptionError('registry', 'a Registry of prom-client', registry);
  const read = createSharedRead(readableHealth(health));
  const metrics = Object.values(METRICS).map((metric) => createMetric(metric, read));
  for (const metric of metrics) registry.registerMetric(metric as never);
  const names = metrics.map(({ name }) => name);
  return () => {
    for (const name of names) registry.removeSingleMetric(name);
  };
}

function createMetric(
  definition: MetricDefinition,
  read: () => Promise<readonly MetricReading[]>,
): PromMetric {
  const { name, help, type } = definition;
  const promType = type === 'info' ? 'gauge' : type;
  // Of several processes of a cluster: an info is the same in all of them.
  const aggregator = type === 'info' ? 'first' : 'sum';
  const metric: PromMetric = {
    name,
    help,
    type: promType,
    aggregator,
    async get() {
      const reading = (await read()).find((each) => each.metric.name === name);
      const values = (reading?.samples ?? []).flatMap((sample) => valuesOf(definition, sample));
      // Its name as it is now: for OpenMetrics the registry takes the suffix of a counter off.
      return { name: metric.name, help, type: promType, values, aggregator };
    },
    reset() {},
  };
  return metric;
}

interface PromValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

function valuesOf({ name, buckets = [] }: MetricDefinition, sample: MetricSample): PromValue[] {
  const { labels } = sample;
  if (!('histogram' in sample)) return [{ labels, value: sample.value }];
  const { histogram } = sample;
  return [
    ...cumulative(buckets, histogram).map(({ le, count }) => ({
      labels: { ...labels, le: le === Infinity ? '+Inf' : le },
      value: count,
      metricName: `${name}_bucket`,
    })),
    { labels, value: histogram.sum, metricName: `${name}_sum` },
    { labels, value: histogramCount(histogram), metricName: `${name}_count` },
  ];
}
