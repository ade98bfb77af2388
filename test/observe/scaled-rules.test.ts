import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../tools/lib/run.mjs';
import { scaleRules } from '../support/scaled-rules.js';

const rules = readFileSync(path.join(ROOT, 'observability/alerts.yml'), 'utf8');

describe('rules of a faster world', () => {
  it('O3: have every duration divided, and only durations', () => {
    expect(scaleRules('for: 5m\nexpr: rate(a[15m] offset 1w) > 30', 60)).toBe(
      'for: 5000ms\nexpr: rate(a[15000ms] offset 10080000ms) > 30',
    );
  });

  it('O3: differ from those that are shipped in nothing else', () => {
    const scaled = scaleRules(rules, 60);
    const lines = rules.split('\n');
    const changed = scaled.split('\n').filter((line, index) => line !== lines[index]);
    expect(changed.length).toBeGreaterThan(35);
    for (const line of changed) expect(line).toMatch(/for: \d+ms$|\[\d+ms\]|offset \d+ms/);
    expect(scaled).not.toMatch(/^ +for: \d+[smhdw]$|\[\d+[smhdw]\]|offset \d+[smhdw]\b/m);
  });
});
