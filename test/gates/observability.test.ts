import { describe, expect, it } from 'vitest';
import { observability } from '../../tools/gates/observability.mjs';
import { dashboard } from '../../tools/dashboard/dashboard.mjs';
import { prometheusRule } from '../../tools/observability.mjs';
import { type Files, plantTree } from './planted-tree.js';

const RULES = `groups:
  - name: a
    rules:
      - alert: HaleA
        expr: up == 0
        labels:
          severity: warning
        annotations:
          summary: It is.
          description: It is so.
          runbook_url: docs/runbook.md#halea
`;
const TEST = `tests:
  - name: a
    alert_rule_test:
      - alertname: HaleA
        eval_time: 1m
        exp_alerts: []
      - alertname: HaleA
        eval_time: 2m
        exp_alerts:
          - exp_labels: {severity: warning}
      - alertname: HaleA
        eval_time: 3m
        exp_alerts: []
`;
const CLEAN: Files = {
  'observability/alerts.yml': RULES,
  'observability/prometheusrule.yml': prometheusRule(RULES),
  'observability/dashboard.json': `${JSON.stringify(dashboard, null, 2)}\n`,
  'test/observe/alerts/a.test.yml': TEST,
  'docs/runbook.md': '# Runbook\n\n## HaleA\n',
  'docs/alerts.md': '| [`HaleA`](runbook.md#halea) | a |\n',
};

describe('observability gate', () => {
  it('O3: passes a rule that is tested, explained and listed', async () => {
    using tree = plantTree(CLEAN, []);
    expect(await observability.run(tree.root)).toEqual({ ok: true, examined: 1, output: '' });
  });

  it.each<[string, string, string]>([
    ['HaleA is not in docs/runbook.md', 'docs/runbook.md', '# Runbook\n'],
    ['docs/runbook.md: no rule for HaleB', 'docs/runbook.md', '## HaleA\n\n## HaleB\n'],
    ['HaleA is not in docs/alerts.md', 'docs/alerts.md', '\n'],
    ['no test in test/observe/alerts', 'test/observe/alerts/a.test.yml', 'tests:\n'],
    [
      'no test in test/observe/alerts',
      'test/observe/alerts/a.test.yml',
      TEST.slice(0, TEST.lastIndexOf('      - alertname')),
    ],
    ['severity is missing', 'observability/alerts.yml', RULES.replace('warning', 'loud')],
    ['runbook_url is missing', 'observability/alerts.yml', RULES.replace('#halea', '#other')],
    [
      'prometheusrule.yml is stale',
      'observability/prometheusrule.yml',
      prometheusRule(RULES).replace('up == 0', 'up == 1'),
    ],
    ['dashboard.json is stale', 'observability/dashboard.json', '{}\n'],
  ])('O3: reports: %s', async (message, file, text) => {
    using tree = plantTree({ ...CLEAN, [file]: text }, []);
    const result = await observability.run(tree.root);
    expect(result).toMatchObject({ ok: false, output: expect.stringContaining(message) });
  });

  it('O3: fails without any rule', async () => {
    using tree = plantTree({ ...CLEAN, 'observability/alerts.yml': 'groups: []\n' }, []);
    expect(await observability.run(tree.root)).toMatchObject({ ok: false, examined: 0 });
  });
});
