import { describe, expect, it } from 'vitest';
import { encodePrometheus } from '../../src/protocol/prometheus.js';

describe('the Prometheus text', () => {
  it('O1: has help, type and one line per sample', () => {
    const text = encodePrometheus([
      {
        name: 'hale_check_status',
        type: 'gauge',
        help: 'Verdict.',
        samples: [
          { value: 1, labels: { check: 'database' } },
          { value: 0.5, labels: { check: 'cache' } },
        ],
      },
    ]);
    expect(text).toBe(
      '# HELP hale_check_status Verdict.\n# TYPE hale_check_status gauge\n' +
        'hale_check_status{check="database"} 1\nhale_check_status{check="cache"} 0.5\n',
    );
  });

  it('O1: escapes help and label values', () => {
    const text = encodePrometheus([
      {
        name: 'a',
        type: 'counter',
        help: 'back\\slash\nand line',
        samples: [{ value: 1, labels: { l: 'quote " slash \\ line \n' } }],
      },
    ]);
    expect(text).toContain('# HELP a back\\\\slash\\nand line\n');
    expect(text).toContain('a{l="quote \\" slash \\\\ line \\n"} 1\n');
  });

  it('O1: writes the values that are no numbers, and histogram parts', () => {
    const samples = [
      { value: NaN, suffix: '_sum' },
      { value: Infinity, suffix: '_bucket', labels: { le: '+Inf' } },
      { value: -Infinity },
    ];
    const text = encodePrometheus([{ name: 'h', type: 'histogram', help: 'H.', samples }]);
    expect(text).toContain('h_sum NaN\nh_bucket{le="+Inf"} +Inf\nh -Inf\n');
  });

  it('O1: leaves out a metric without samples', () => {
    expect(encodePrometheus([{ name: 'h', type: 'gauge', help: 'H.', samples: [] }])).toBe('');
  });
});
