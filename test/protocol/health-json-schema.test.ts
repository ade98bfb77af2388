import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { CheckView, LastOutcome } from '../../src/core/probe-state.js';
import { atOnce } from '../../src/probe/pace.js';
import { statusSteps } from '../../src/probe/status-view.js';
import { parseHealthJson } from '../../src/core/parse-health-json.js';
import { checkView, pendingCheckView, startedState } from '../core/probe-state-builders.js';
import { createModelKit } from '../probe/probe-kit.js';

const schema = JSON.parse(
  readFileSync(new URL('health-json.schema.json', import.meta.url), 'utf8'),
) as object;
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

function problemsOf(document: unknown): string[] {
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function view(
  name: string,
  verdict: CheckView['verdict'],
  status: LastOutcome['status'],
): CheckView {
  return checkView(name, {
    verdict,
    freshUntil: 1e9,
    component: {
      componentType: 'datastore',
      componentId: `${name}-1`,
      measurement: 'responseTime',
      affectedEndpoints: ['/orders/{id}'],
      links: { runbook: 'https://example.org/db' },
    },
    last: {
      status,
      output: 'slow',
      observedValue: { used: 9, max: 10 },
      observedUnit: 'connections',
      wallAt: Date.UTC(2026, 0, 2),
      durationMs: 4,
    },
  });
}

const SERVICE = { version: '1', releaseId: 'abc', serviceId: 'orders-1', description: 'orders' };

describe('health+json against a schema written from the draft', () => {
  it.each([
    ['everything passes', [view('database', 'pass', 'pass')], 'pass'],
    ['a check warns', [view('database', 'warn', 'warn')], 'warn'],
    ['a check fails', [view('database', 'fail', 'fail')], 'fail'],
    ['a pass that has failed once', [view('database', 'pass', 'fail')], 'pass'],
    ['a check has not run yet', [pendingCheckView('database')], 'fail'],
    ['no check at all', [], 'pass'],
  ])('E2: %s', (_title, views, status) => {
    const kit = createModelKit();
    kit.publish(startedState(views, { service: SERVICE }));
    const { body } = atOnce(statusSteps(kit));
    const document = JSON.parse(body) as { status: string };
    expect(problemsOf(document)).toStrictEqual([]);
    expect(document.status).toBe(status);
    expect(parseHealthJson(body)).toMatchObject({ kind: 'health' });
  });

  it.each([
    ['an unknown status', { status: 'fine' }],
    ['no status', {}],
    ['a check that is no list', { status: 'pass', checks: { database: { status: 'pass' } } }],
    ['two colons in a key', { status: 'pass', checks: { 'a:b:c': [{ status: 'pass' }] } }],
    [
      'output of a passing check',
      { status: 'pass', checks: { a: [{ status: 'pass', output: 'x' }] } },
    ],
    ['a time that is none', { status: 'pass', checks: { a: [{ status: 'pass', time: 'now' }] } }],
  ])('E2: the schema refuses %s', (_title, document) => {
    expect(problemsOf(document)).not.toStrictEqual([]);
  });
});
