/** The media type of the text exposition format, version 0.0.4. */
export const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/** One metric with all its samples. */
export interface MetricFamily {
  /** Snake case, with its unit, such as `hale_startup_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary' | 'untyped';
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string | number>>;
  /** Appended to the name, for the `_bucket`, `_sum` and `_count` of a histogram. */
  readonly suffix?: string;
}

/** Renders metrics as Prometheus text; a family without samples is left out. */
export function encodePrometheus(families: Iterable<MetricFamily>): string {
  let text = '';
  for (const family of families) {
    if (family.samples.length > 0) text += encodeFamily(family);
  }
  return text;
}

function encodeFamily({ name, help, type, samples }: MetricFamily): string {
  const lines = samples.map(
    ({ value, labels, suffix = '' }) =>
      `${name}${suffix}${encodeLabels(labels)} ${encodeValue(value)}\n`,
  );
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function encodeLabels(labels: MetricSample['labels']): string {
  const entries = Object.entries(labels ?? {});
  if (entries.length === 0) return '';
  return `{${entries.map(([key, value]) => `${key}="${escapeLabel(String(value))}"`).join(',')}}`;
}

function encodeValue(value: number): string {
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
