import { OptionError } from '../core/errors.js';
import { cumulative, histogramCount } from '../core/histogram.js';
import { METRICS, type MetricDefinition } from '../core/metric-definitions.js';
import type { MetricLabels, MetricReading, MetricSample } from '../core/metric-readings.js';
import { type ReadableHealth, readableHealth } from './readable-health.js';

/** The part of a `Meter` of `@opentelemetry/api` 1 that is used. */
export interface OtelMeter {
  createObservableCounter(name: string, options?: OtelInstrumentOptions): OtelObservable;
  createObservableGauge(name: string, options?: OtelInstrumentOptions): OtelObservable;
  addBatchObservableCallback(callback: OtelCallback, observables: OtelObservable[]): void;
  removeBatchObservableCallback(callback: OtelCallback, observables: OtelObservable[]): void;
}

export interface OtelInstrumentOptions {
  description?: string;
  unit?: string;
}

/** An observable instrument. */
export interface OtelObservable {
  addCallback(callback: never): void;
}

/** Called at each collection. */
export type OtelCallback = (result: OtelResult) => Promise<void>;

export interface OtelResult {
  observe(instrument: OtelObservable, value: number, attributes?: Record<string, string>): void;
}

type Observe = (name: string, value: number, attributes: MetricLabels) => void;

/**
 * Tells hale's metrics to OpenTelemetry as observable instruments of a meter, read at each collection. The returned
 * function ends it.
 *
 * `hale_check_duration_seconds` is `hale.check_duration` in `s`, a counter loses its `_total`. OpenTelemetry has no
 * observable histogram, so that one is three counters: `.bucket` with the attribute `le`, cumulative as in Prometheus,
 * `.sum` and `.count`.
 * @throws OptionError when `meter` or `health` is none.
 */
export function observeHealth(meter: OtelMeter, health: ReadableHealth): () => void {
  if (typeof meter?.addBatchObservableCallback !== 'function')
    throw new OptionError('meter', 'a Meter of @opentelemetry/api', meter);
  const readable = readableHealth(health);
  const instruments = createInstruments(meter);
  const observables = [...instruments.values()];
  const callback: OtelCallback = async (result) => {
    const readings = await readable.metrics();
    observeAll(readings, (name, value, attributes) => {
      const instrument = instruments.get(name);
      if (instrument !== undefined) result.observe(instrument, value, { ...attributes });
    });
  };
  meter.addBatchObservableCallback(callback, observables);
  return () => meter.removeBatchObservableCallback(callback, observables);
}

/** The name of a metric in OpenTelemetry, which keeps the unit apart. https://opentelemetry.io/docs/specs/semconv/general/metrics/ */
export function otelName({ name }: Pick<MetricDefinition, 'name'>): string {
  return name
    .replace(/^hale_/, 'hale.')
    .replace(/_total$/, '')
    .replace(/_seconds$/, '');
}

function createInstruments(meter: OtelMeter): Map<string, OtelObservable> {
  const instruments = new Map<string, OtelObservable>();
  for (const metric of Object.values<MetricDefinition>(METRICS)) {
    const name = otelName(metric);
    const description = metric.help;
    const unit = metric.unit === undefined ? {} : { unit: 's' };
    if (metric.type === 'counter')
      instruments.set(name, meter.createObservableCounter(name, { description, ...unit }));
    else if (metric.type !== 'histogram')
      instruments.set(name, meter.createObservableGauge(name, { description, ...unit }));
    else {
      for (const part of ['bucket', 'count'])
        instruments.set(
          `${name}.${part}`,
          meter.createObservableCounter(`${name}.${part}`, { description }),
        );
      const options = { description, ...unit };
      instruments.set(`${name}.sum`, meter.createObservableCounter(`${name}.sum`, options));
    }
  }
  return instruments;
}

function observeAll(readings: readonly MetricReading[], observe: Observe): void {
  for (const { metric, samples } of readings) {
    for (const sample of samples) observeSample(metric, sample, observe);
  }
}

function observeSample(metric: MetricDefinition, sample: MetricSample, observe: Observe): void {
  const name = otelName(metric);
  const { labels } = sample;
  if (!('histogram' in sample)) {
    observe(name, sample.value, labels);
    return;
  }
  const { histogram } = sample;
  for (const { le, count } of cumulative(metric.buckets ?? [], histogram)) {
    observe(`${name}.bucket`, count, { ...labels, le: le === Infinity ? '+Inf' : String(le) });
  }
  observe(`${name}.sum`, histogram.sum, labels);
  observe(`${name}.count`, histogramCount(histogram), labels);
}
