import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { twice, verdict } from '../lib/gate.mjs';
import { PROMETHEUS_RULE } from './prometheus-rule-schema.mjs';

const FILE = 'observability/prometheusrule.yml';

/**
 * A Kubernetes with the Prometheus operator takes the rules.
 * @type {import('../lib/gate.mjs').Gate}
 */
export const prometheusRule = {
  name: 'alerts as a PrometheusRule',
  async run(root) {
    const file = path.join(root, FILE);
    if (!existsSync(file)) return verdict(false, 0, `${FILE} is missing`);
    const { parseDocument } = await import('yaml');
    const document = parseDocument(readFileSync(file, 'utf8'));
    const resource = /** @type {unknown} */ (document.toJS());
    const groups = groupsOf(resource);
    const problems = [
      ...[...document.errors, ...document.warnings].map(({ message }) => message),
      ...(await violations(resource)),
      ...twice(groups.map(({ name }) => `group ${String(name)}`)),
    ];
    const rules = groups.reduce((sum, group) => sum + (group.rules?.length ?? 0), 0);
    return verdict(problems.length === 0, rules, problems.join('\n'));
  },
};

/** @param {unknown} resource */
async function violations(resource) {
  const { Ajv } = await import('ajv');
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(PROMETHEUS_RULE);
  validate(resource);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${FILE}${instancePath}: ${message} ${JSON.stringify(params)}`;
  });
}

/**
 * @typedef {{ name?: unknown, rules?: unknown[] }} Group
 * @param {unknown} resource
 * @returns {Group[]}
 */
function groupsOf(resource) {
  const { spec } = /** @type {{ spec?: { groups?: Group[] } }} */ (resource ?? {});
  return Array.isArray(spec?.groups) ? spec.groups : [];
}
