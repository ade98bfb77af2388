import { describe, expect, it } from 'vitest';
import type { MetricReading } from '../../src/core/metric-readings.js';
import {
  encodeOpenMetrics,
  encodePrometheus,
  prefersOpenMetrics,
} from '../../src/protocol/prometheus.js';

const status: MetricReading = {
  metric: { name: 'hale_check_status', type: 'gauge', help: 'Verdict.', labels: ['check'] },
  samples: [
    { value: 1, labels: { check: 'database' } },
    { value: 0.5, labels: { check: 'cache' } },
  ],
};

const latency: MetricReading = {
  metric: {
    name: 'x_seconds',
    type: 'histogram',
    help: 'X.',
    unit: 'seconds',
    labels: ['a'],
    buckets: [0.5, 1],
  },
  samples: [{ labels: { a: 'b' }, histogram: { counts: [2, 1, 1], sum: 4.5 } }],
};

const downtime: MetricReading = {
  metric: { name: 'y_seconds_total', type: 'counter', help: 'Y.', unit: 'seconds', labels: [] },
  samples: [{ value: 3, labels: {} }],
};

const build: MetricReading = {
  metric: { name: 'z_info', type: 'info', help: 'Z.', labels: ['v'] },
  samples: [{ value: 1, labels: { v: '1' } }],
};

describe('the Prometheus text', () => {
  it('O1: has help, type and one line per sample', () => {
    expect(encodePrometheus([status])).toBe(
      '# HELP hale_check_status Verdict.\n# TYPE hale_check_status gauge\n' +
        'hale_check_status{check="database"} 1\nhale_check_status{check="cache"} 0.5\n',
    );
  });

  it('O1: writes a histogram cumulatively, and an info as a gauge', () => {
    expect(encodePrometheus([latency, build])).toBe(
      '# HELP x_seconds X.\n# TYPE x_seconds histogram\n' +
        'x_seconds_bucket{a="b",le="0.5"} 2\nx_seconds_bucket{a="b",le="1"} 3\n' +
        'x_seconds_bucket{a="b",le="+Inf"} 4\nx_seconds_sum{a="b"} 4.5\nx_seconds_count{a="b"} 4\n' +
        '# HELP z_info Z.\n# TYPE z_info gauge\nz_info{v="1"} 1\n',
    );
  });

  it('O1: escapes help and label values', () => {
    const metric = { ...status.metric, name: 'a', help: 'back\\slash\nand line' };
    const samples = [{ value: 1, labels: { l: 'quote " slash \\ line \n' } }];
    const text = encodePrometheus([{ metric, samples }]);
    expect(text).toContain('# HELP a back\\\\slash\\nand line\n');
    expect(text).toContain('a{l="quote \\" slash \\\\ line \\n"} 1\n');
  });

  it('O1: writes the values that are no numbers', () => {
    const samples = [NaN, Infinity, -Infinity].map((value) => ({ value, labels: {} }));
    const text = encodePrometheus([{ metric: { ...status.metric, name: 'h' }, samples }]);
    expect(text).toContain('h NaN\nh +Inf\nh -Inf\n');
  });

  it('O1: leaves out a metric without samples', () => {
    expect(encodePrometheus([{ ...status, samples: [] }])).toBe('');
  });
});

describe('the OpenMetrics text', () => {
  it('O1: names counter and info without their suffix, has units, canonical bounds and an end', () => {
    expect(encodeOpenMetrics([downtime, build, latency])).toBe(
      '# TYPE y_seconds counter\n# UNIT y_seconds seconds\n# HELP y_seconds Y.\n' +
        'y_seconds_total 3\n' +
        '# TYPE z info\n# HELP z Z.\nz_info{v="1"} 1\n' +
        '# TYPE x_seconds histogram\n# UNIT x_seconds seconds\n# HELP x_seconds X.\n' +
        'x_seconds_bucket{a="b",le="0.5"} 2\nx_seconds_bucket{a="b",le="1.0"} 3\n' +
        'x_seconds_bucket{a="b",le="+Inf"} 4\nx_seconds_sum{a="b"} 4.5\nx_seconds_count{a="b"} 4\n' +
        '# EOF\n',
    );
  });

  it.each([
    [
      'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
      true,
    ],
    ['application/openmetrics-text', true],
    ['Application/OpenMetrics-Text; Version="1.0.0"', true],
    ['text/plain;version=0.0.4,application/openmetrics-text;q=0.5', false],
    ['application/openmetrics-text;version=2.0.0', false],
    ['application/openmetrics-text;q=0', false],
    ['application/openmetrics-text;q=nonsense', false],
    ['text/html,*/*;q=0.8', false],
    ['', false],
    [undefined, false],
  ])('O1: %j is answered with OpenMetrics: %j', (accept, expected) =>
    expect(prefersOpenMetrics(accept)).toBe(expected),
  );
});
