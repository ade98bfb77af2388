import type { MetricReading } from '../core/metric-readings.js';
import type { ProbeHost } from '../core/probe-host.js';
import type { ProbeHandler } from './handler.js';

/** A probe host that also answers on the calling thread, for a server of the application. */
export interface AnsweringHost extends ProbeHost {
  /** What the probe port answers; never throws or rejects. */
  readonly handler: ProbeHandler;
  /** Every metric, with what the probe port has counted; never rejects. */
  metrics(): Promise<readonly MetricReading[]>;
}
