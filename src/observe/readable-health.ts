import { OptionError } from '../core/errors.js';
import type { MetricReading } from '../core/metric-readings.js';

/** What metrics are read from: what `createHealth()` returns. */
export interface ReadableHealth {
  metrics(): Promise<readonly MetricReading[]>;
}

/** @throws OptionError when it is not what `createHealth()` returns. */
export function readableHealth(health: ReadableHealth): ReadableHealth {
  if (typeof health?.metrics === 'function') return health;
  throw new OptionError('health', 'what createHealth() returns', health);
}
