import { cumulative, histogramCount } from '../core/histogram.js';
import type { MetricDefinition } from '../core/metric-definitions.js';
import type { MetricLabels, MetricReading, MetricSample } from '../core/metric-readings.js';
import { qualityOf } from './accept.js';

/** The media type of the text exposition format, version 0.0.4. */
export const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/** The media type of OpenMetrics 1.0. */
export const OPENMETRICS_TEXT = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** What differs between the two texts. */
interface Dialect {
  head(metric: MetricDefinition): string;
  bound(le: number): string;
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
const PROMETHEUS: Dialect = {
  head: ({ name, type, help }) =>
    `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type === 'info' ? 'gauge' : type}\n`,
  bound: encodeNumber,
};

/** https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md */
const OPENMETRICS: Dialect = {
  head({ name, type, help, unit }) {
    const family = name.replace(/_(?:total|info)$/, '');
    const unitLine = unit === undefined ? '' : `# UNIT ${family} ${unit}\n`;
    return `# TYPE ${family} ${type}\n${unitLine}# HELP ${family} ${escapeLabel(help)}\n`;
  },
  // Canonical numbers: a bound is part of a series' name, so `1` and `1.0` would be two.
  bound: (le) => (Number.isInteger(le) ? `${le}.0` : encodeNumber(le)),
};

/** Renders metrics as Prometheus text; a metric without samples is left out. */
export function encodePrometheus(readings: Iterable<MetricReading>): string {
  return encode(PROMETHEUS, readings);
}

/** Renders metrics as OpenMetrics text; a metric without samples is left out. */
export function encodeOpenMetrics(readings: Iterable<MetricReading>): string {
  return `${encode(OPENMETRICS, readings)}# EOF\n`;
}

/** Whether an `Accept` header likes OpenMetrics, in a version that is written here, at least as much as plain text. */
export function prefersOpenMetrics(accept = ''): boolean {
  let openMetrics = 0;
  let text = 0;
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = qualityOf(parameters);
    if (type === 'text/plain') text = Math.max(text, quality);
    if (type !== 'application/openmetrics-text') continue;
    const version = parameters.find((each) => each.startsWith('version='))?.slice(8) ?? '1.0.0';
    if (['1.0.0', '0.0.1'].includes(version.replaceAll('"', '')))
      openMetrics = Math.max(openMetrics, quality);
  }
  return openMetrics > 0 && openMetrics >= text;
}

function encode(dialect: Dialect, readings: Iterable<MetricReading>): string {
  let text = '';
  for (const { metric, samples } of readings) {
    if (samples.length === 0) continue;
    text += dialect.head(metric);
    for (const sample of samples) text += encodeSample(dialect, metric, sample);
  }
  return text;
}

function encodeSample(dialect: Dialect, metric: MetricDefinition, sample: MetricSample): string {
  const { labels } = sample;
  const { name, buckets = [] } = metric;
  if (!('histogram' in sample))
    return `${name}${encodeLabels(labels)} ${encodeNumber(sample.value)}\n`;
  const { histogram } = sample;
  const lines = cumulative(buckets, histogram).map(({ le, count }) => {
    const bound = le === Infinity ? '+Inf' : dialect.bound(le);
    return `${name}_bucket${encodeLabels({ ...labels, le: bound })} ${count}\n`;
  });
  const sum = `${name}_sum${encodeLabels(labels)} ${encodeNumber(histogram.sum)}\n`;
  const count = `${name}_count${encodeLabels(labels)} ${histogramCount(histogram)}\n`;
  return lines.join('') + sum + count;
}

function encodeLabels(labels: MetricLabels): string {
  const entries = Object.entries(labels);
  if (entries.length === 0) return '';
  return `{${entries.map(([key, value]) => `${key}="${escapeLabel(value)}"`).join(',')}}`;
}

function encodeNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
