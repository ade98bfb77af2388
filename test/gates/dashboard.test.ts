import { describe, expect, it } from 'vitest';
import { dashboard } from '../../tools/dashboard/dashboard.mjs';
import { dashboard as gate } from '../../tools/gates/dashboard.mjs';
import { plantTree } from './planted-tree.js';

const FILE = 'observability/dashboard.json';
const TEXT = JSON.stringify(dashboard, null, 2);

const run = async (text: string) => {
  using tree = plantTree({ [FILE]: text }, []);
  return await gate.run(tree.root);
};

/** Replaces one occurrence, which must be there. */
function planted(text: string, [from, to]: readonly [string, string]): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

describe('dashboard gate', () => {
  it('O3: passes the dashboard', async () => {
    expect(await run(TEXT)).toEqual({ ok: true, examined: dashboard.panels.length, output: '' });
  });

  it('O3: reports what the types of Grafana do not know', async () => {
    const { output, ok } = await run(
      [
        ['"stacking"', '"stacked"'],
        ['"drawStyle": "line"', '"drawStyle": "curve"'],
        ['"unit": "s"', '"unit": "seconds"'],
        ['"type": "heatmap"', '"type": "heat-map"'],
        ['"uid": "${datasource}"', '"uid": "prometheus-1"'],
        ['"rowHeight": 0.9,', ''],
      ].reduce((text, change) => planted(text, change as [string, string]), TEXT),
    );
    expect(ok).toBe(false);
    for (const message of [
      `'"stacked"' does not exist`,
      '"curve"',
      '"seconds"',
      '"heat-map"',
      '"prometheus-1"',
      'rowHeight',
    ]) {
      expect(output).toContain(message);
    }
  });

  it('O3: reports panels that lie over another or outside, the same id, an unknown variable', async () => {
    const panels = dashboard.panels.slice(0, 4).map((panel) => structuredClone(panel));
    const [, first, second, third] = panels;
    Object.assign(second as object, { id: first?.id, gridPos: first?.gridPos });
    Object.assign(third as object, { gridPos: { x: 20, y: 90, w: 8, h: 8 } });
    const text = JSON.stringify({ ...dashboard, panels }).replace('$namespace', '$cluster');
    const { output } = await run(text);
    expect(output.split('\n')).toEqual([
      `panel ${first?.id} is there twice`,
      `${third?.title} is not within the 24 columns`,
      `${first?.title} lies over ${second?.title}`,
      'variable cluster is not defined',
    ]);
  });

  it.each(['', '{}', '{"panels": []}'])('O3: fails without panels: %j', async (text) => {
    expect(await run(text)).toMatchObject({ ok: false, examined: 0 });
  });
});
