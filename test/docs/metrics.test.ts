import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METRICS, type MetricDefinition } from '../../src/core/metric-definitions.js';

function code(text: string): string {
  return `\`${text}\``;
}

describe('docs/metrics.md', () => {
  it('O1: has every metric of the list, as the list has it, in its order', () => {
    const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `hale_'));
    const expected = Object.values<MetricDefinition>(METRICS).map(
      ({ name, type, labels, help }) =>
        `| ${code(name)} | ${type} | ${labels.map(code).join(', ')} | ${help} |`,
    );
    expect(rows).toStrictEqual(expected);
  });
});
