import type { MetricReading } from '../core/metric-readings.js';
import type { ReadableHealth } from './readable-health.js';

/** Reads once for everybody who asks before the answer is there: a scrape asks for each metric by itself. */
export function createSharedRead(health: ReadableHealth): () => Promise<readonly MetricReading[]> {
  let underWay: Promise<readonly MetricReading[]> | undefined;
  return () => {
    underWay ??= health.metrics().finally(() => (underWay = undefined));
    return underWay;
  };
}
