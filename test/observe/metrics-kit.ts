import type { MetricReading } from '../../src/core/metric-readings.js';
import { readAnswering } from '../../src/probe/metrics.js';
import { checkView, startedState } from '../core/probe-state-builders.js';
import { type ModelKit, createModelKit } from '../probe/probe-kit.js';

/** A health whose metrics come from a model, and how often they were read. */
export interface MetricsKit {
  readonly kit: ModelKit;
  readonly health: { metrics(): Promise<readonly MetricReading[]> };
  reads: number;
}

/** Builds a service with one check that ran twice, and one answered probe. */
export function createMetricsKit(): MetricsKit {
  const kit = createModelKit();
  const durations = { counts: [0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], sum: 0.204 };
  kit.publish(
    startedState([checkView('a "database"', { durations, ranAt: 0, freshUntil: 1e9 })], {
      service: { version: '1.4.2' },
    }),
  );
  kit.model.answer('readiness', kit.clock.now());
  const created: MetricsKit = {
    kit,
    reads: 0,
    health: {
      async metrics() {
        created.reads += 1;
        return readAnswering(kit);
      },
    },
  };
  return created;
}
