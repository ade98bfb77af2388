import type { Clock } from '../core/clock.js';
import type { MetricReading } from '../core/metric-readings.js';

export interface ThreadReadingsOptions {
  readonly clock: Pick<Clock, 'setTimeout'>;
  /** Asks the thread; its answer comes by `answered()`. */
  ask(id: number): void;
  /** What this thread knows by itself. */
  fallback(): readonly MetricReading[];
}

/** Metrics of the probe thread, asked for by the main thread. */
export interface ThreadReadings {
  /** Never rejects; without an answer in time it resolves with what this thread knows. */
  read(): Promise<readonly MetricReading[]>;
  answered(id: number, readings: readonly MetricReading[]): void;
}

/** The thread answers in microseconds, unless it is being started again. */
const WAIT_MS = 1000;

/** Creates the asking side. */
export function createThreadReadings(options: ThreadReadingsOptions): ThreadReadings {
  const { clock, ask, fallback } = options;
  const waiting = new Map<number, (readings: readonly MetricReading[]) => void>();
  let lastId = 0;
  return {
    read: () =>
      new Promise((resolve) => {
        lastId += 1;
        const id = lastId;
        const timer = clock.setTimeout(() => settle(fallback()), WAIT_MS);
        const settle = (readings: readonly MetricReading[]): void => {
          timer.clear();
          waiting.delete(id);
          resolve(readings);
        };
        waiting.set(id, settle);
        ask(id);
      }),
    answered: (id, readings) => waiting.get(id)?.(readings),
  };
}
