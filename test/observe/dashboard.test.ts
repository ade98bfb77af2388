import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { METRICS, type MetricDefinition } from '../../src/core/metric-definitions.js';
import { dashboard } from '../../tools/dashboard/dashboard.mjs';
import { ROOT } from '../../tools/lib/run.mjs';
import { dashboardQueries } from './dashboard-queries.js';

interface Place {
  readonly id: number;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
}

const panels = dashboard.panels as readonly Place[];
const rules = readFileSync(path.join(ROOT, 'observability/alerts.yml'), 'utf8');

function seriesOf({ name, type }: MetricDefinition): readonly string[] {
  if (type !== 'histogram') return [name];
  return ['_bucket', '_sum', '_count'].map((suffix) => name + suffix);
}

function namesIn(text: string): string[] {
  return [...new Set(text.match(/\bhale_[a-z_]+/g))];
}

function overlap({ gridPos: a }: Place, { gridPos: b }: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

describe('dashboard and alerts', () => {
  it.each([
    [
      'the dashboard',
      dashboardQueries()
        .map(({ expr }) => expr)
        .join('\n'),
    ],
    ['the alerts', rules],
  ])('O3: %s ask only for metrics that hale has', (_, text) => {
    const known = Object.values<MetricDefinition>(METRICS).flatMap(seriesOf);
    const asked = namesIn(text);
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((name) => !known.includes(name))).toStrictEqual([]);
  });

  it('O3: the panels have ids and places of their own, within 24 columns', () => {
    expect(panels.length).toBeGreaterThan(20);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toStrictEqual([]);
    const clashes = panels.flatMap((one, index) =>
      panels
        .slice(index + 1)
        .filter((other) => overlap(one, other))
        .map((other) => `${one.title} and ${other.title}`),
    );
    expect(clashes).toStrictEqual([]);
  });

  it('O3: leaves no placeholder of its own in a query', () => {
    expect(JSON.stringify(dashboard)).not.toContain('$own');
    expect(dashboardQueries().filter(({ expr }) => /\$/.test(expr))).toStrictEqual([]);
  });
});
