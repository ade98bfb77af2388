/**
 * Writes what observability/ has twice: the alert rules as a PrometheusRule, and the dashboard.
 *
 *     node tools/observability.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { dashboard } from './dashboard/dashboard.mjs';
import { ROOT } from './lib/run.mjs';

export const RULES = 'observability/alerts.yml';

const RESOURCE_HEAD = `# Made from alerts.yml: node tools/observability.mjs
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: hale
  labels:
    app.kubernetes.io/name: hale
spec:
`;

/**
 * The rules as a custom resource of the Prometheus operator: the same lines, one level deeper.
 * @param {string} rules
 */
export function prometheusRule(rules) {
  const lines = rules.split('\n').map((line) => (line === '' ? line : `  ${line}`));
  return RESOURCE_HEAD + lines.join('\n');
}

/**
 * Every generated file and what it must hold.
 * @param {string} root
 * @returns {{ file: string, text: string }[]}
 */
export function generated(root) {
  const rules = readFileSync(path.join(root, RULES), 'utf8');
  return [
    { file: 'observability/prometheusrule.yml', text: prometheusRule(rules) },
    { file: 'observability/dashboard.json', text: `${JSON.stringify(dashboard, null, 2)}\n` },
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { file, text } of generated(ROOT)) writeFileSync(path.join(ROOT, file), text);
}
