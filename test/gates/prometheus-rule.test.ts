import { describe, expect, it } from 'vitest';
import { prometheusRule as gate } from '../../tools/gates/prometheus-rule.mjs';
import { prometheusRule } from '../../tools/observability.mjs';
import { plantTree } from './planted-tree.js';

const RULE = `      - alert: HaleA
        expr: up == 0
        for: 1m30s
        labels:
          severity: warning
`;
const CLEAN = prometheusRule(`groups:\n  - name: a\n    interval: 30s\n    rules:\n${RULE}`);

const run = async (text: string) => {
  using tree = plantTree({ 'observability/prometheusrule.yml': text }, []);
  return await gate.run(tree.root);
};

describe('PrometheusRule gate', () => {
  it('O3: passes a resource that the operator takes', async () => {
    expect(await run(CLEAN)).toEqual({ ok: true, examined: 1, output: '' });
  });

  it.each<[string, string, string]>([
    ['must be equal to constant', 'kind: PrometheusRule', 'kind: PrometheusRules'],
    ['must be equal to constant', 'monitoring.coreos.com/v1', 'monitoring.coreos.com/v2'],
    ["required property 'expr'", 'expr: up == 0', 'record: a'],
    ['must match pattern', '1m30s', '90 s'],
    ['must match pattern', '1m30s', '30s1m'],
    ['must match pattern', 'name: hale', 'name: Hale_1'],
    ['must be string', 'severity: warning', 'severity: 1'],
    ['"additionalProperty":"summary"', 'for: 1m30s', 'summary: text'],
    ['"additionalProperty":"every"', 'interval: 30s', 'every: 30s'],
    ["required property 'name'", '- name: a', '- limit: 1'],
    ['group a is there twice', '  groups:', '  groups:\n    - name: a'],
    ['Map keys must be unique', 'for: 1m30s', 'for: 1m\n          for: 2m'],
  ])('O3: reports: %s (%s: %s)', async (message, from, to) => {
    expect(CLEAN).toContain(from);
    const result = await run(CLEAN.replace(from, to));
    expect(result).toMatchObject({ ok: false, output: expect.stringContaining(message) });
  });

  it.each(['', 'groups: []\n', 'kind: [\n'])('O3: fails without any rule: %j', async (text) => {
    expect(await run(text)).toMatchObject({ ok: false, examined: 0 });
  });
});
