import { describe, expect, it } from 'vitest';
import { atOnce } from '../../src/probe/pace.js';
import { statusSteps } from '../../src/probe/status-view.js';
import { renderMetrics } from '../../src/probe/metrics.js';
import { checkView, pendingCheckView, startedState } from '../core/probe-state-builders.js';
import { createModelKit, type ModelKit } from './probe-kit.js';

interface Entry {
  readonly [key: string]: unknown;
}

interface Document extends Entry {
  readonly checks: Readonly<Record<string, readonly Entry[]>>;
}

function documentOf(kit: ModelKit): Document {
  return JSON.parse(atOnce(statusSteps(kit)).body) as Document;
}

const database = checkView('database', {
  verdict: 'fail',
  freshUntil: 1e9,
  runs: 7,
  abandoned: 2,
  transitions: 1,
  changedAt: Date.UTC(2026, 0, 2),
  component: {
    componentType: 'datastore',
    componentId: 'primary',
    measurement: 'connections',
    affectedEndpoints: ['/orders/{id}'],
    links: { runbook: 'https://example.org/db' },
  },
  last: {
    status: 'fail',
    code: 'pool_stuck',
    observedValue: 10,
    observedUnit: 'connections',
    output: 'no connection returned for 30 s',
    wallAt: Date.UTC(2026, 0, 2, 3),
    durationMs: 4,
  },
});

describe('/healthz/status', () => {
  it('S2: names the start-up tasks that are left, and how far they are', () => {
    const kit = createModelKit();
    const startup = {
      complete: false,
      timedOut: false,
      total: 2,
      remaining: ['schema', 'prices'],
      percent: 40,
    };
    kit.publish(startedState([], { startup }));
    expect(documentOf(kit)['notes']).toStrictEqual([
      'starting',
      'start-up at 40 %, waits for: schema, prices',
    ]);
    kit.publish(startedState([], {}));
    expect(documentOf(kit)['notes']).toBeUndefined();
  });

  it('E5: names a hundred of very many reasons and outputs, and counts the others', () => {
    const kit = createModelKit();
    const views = Array.from({ length: 130 }, (_, index) => ({
      ...database,
      name: `database-${index}`,
    }));
    kit.publish(startedState(views));
    const { notes, output, checks } = documentOf(kit);
    expect(notes).toHaveLength(101);
    expect((notes as readonly string[]).slice(99)).toEqual([
      'check_failed:database-99',
      'and 30 more',
    ]);
    expect(String(output).split('; ').slice(99)).toEqual([
      'database-99: no connection returned for 30 s',
      'and 30 more',
    ]);
    expect(checks).toHaveProperty(['database-129:connections']);
  });

  it('E2: has every member the draft knows, and what hale knows beyond', () => {
    const kit = createModelKit();
    const service = {
      version: '1',
      releaseId: 'abc',
      serviceId: 'orders-1',
      description: 'orders',
    };
    kit.publish(startedState([database], { service, findings: ['a finding'] }));
    const { status, headers } = atOnce(statusSteps(kit));
    expect(status).toBe(503);
    expect(headers).toContain('application/health+json');
    const { checks, ...root } = documentOf(kit);
    expect(root).toStrictEqual({
      status: 'fail',
      reason: 'check_failed:database',
      phase: 'running',
      ...service,
      notes: ['check_failed:database', 'a finding'],
      output: 'database: no connection returned for 30 s',
    });
    expect(checks['database:connections']).toStrictEqual([
      {
        componentType: 'datastore',
        componentId: 'primary',
        affectedEndpoints: ['/orders/{id}'],
        links: { runbook: 'https://example.org/db' },
        status: 'fail',
        code: 'pool_stuck',
        observedValue: 10,
        observedUnit: 'connections',
        output: 'no connection returned for 30 s',
        durationMs: 4,
        time: '2026-01-02T03:00:00.000Z',
        impact: 'critical',
        verdict: 'fail',
        runs: 7,
        abandoned: 2,
        hanging: 0,
        transitions: 1,
        changedAt: '2026-01-02T00:00:00.000Z',
      },
    ]);
  });

  it('E2: leaves output and affected endpoints out when passing', () => {
    const kit = createModelKit();
    kit.publish(startedState([{ ...database, verdict: 'pass' }]));
    const { checks, ...root } = documentOf(kit);
    expect(root).toMatchObject({ status: 'pass', reason: 'ok' });
    expect(root).not.toHaveProperty('output');
    const entry = checks['database:connections']?.[0];
    expect(entry).not.toHaveProperty('output');
    expect(entry).not.toHaveProperty('affectedEndpoints');
    expect(entry).toHaveProperty('links');
  });

  it('R3: a check that never ran or has expired does not read as good', () => {
    const kit = createModelKit();
    kit.publish(startedState([pendingCheckView('new'), checkView('old', { freshUntil: 1 })]));
    const { checks } = documentOf(kit);
    expect(checks['new']?.[0]).toMatchObject({ status: 'fail', verdict: 'unknown' });
    expect(checks['old']?.[0]).toMatchObject({ status: 'fail', verdict: 'unknown' });
  });

  it('E4: a stalled loop and a fatal text come first', () => {
    const kit = createModelKit();
    const gates = {
      fatal: 'negative stock',
      leaseLost: false,
      maintenance: false,
      atCapacity: false,
    };
    kit.publish(startedState([], { gates }));
    kit.block(1000);
    const document = documentOf(kit);
    expect(document).toMatchObject({
      status: 'fail',
      reason: 'event_loop_stalled',
      output: 'fatal: negative stock',
    });
    expect(document.checks['event-loop:beatAge']?.[0]).toMatchObject({
      status: 'fail',
      observedValue: 1000,
      observedUnit: 'ms',
    });
  });
});

describe('/metrics', () => {
  it('O1: tells answers, checks and the process, with bounded labels', () => {
    const kit = createModelKit();
    kit.publish(startedState([database, pendingCheckView('new')]));
    kit.board.setInFlight(3);
    kit.model.answer('readiness', kit.clock.now());
    const lines = renderMetrics(kit).body.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'hale_probe_answers_total{probe="readiness",reason="check_failed",status="503"} 1',
        'hale_liveness_failures_total 0',
        'hale_check_status{check="database"} 0',
        'hale_check_status{check="new"} -1',
        'hale_check_last_duration_seconds{check="database"} 0.004',
        'hale_check_runs_total{check="database"} 7',
        'hale_check_abandoned_runs_total{check="database"} 2',
        'hale_check_transitions_total{check="database"} 1',
        'hale_requests_in_flight 3',
        'hale_snapshot_age_seconds 0',
        'hale_event_loop_beat_age_seconds 0',
      ]),
    );
    expect(lines.some((line) => line.startsWith('hale_startup_duration_seconds'))).toBe(false);
  });

  it('S6: tells the start-up duration once it is known', () => {
    const kit = createModelKit();
    const startup = { complete: true, timedOut: false, total: 0, remaining: [], durationMs: 1500 };
    kit.publish(startedState([], { startup }));
    expect(renderMetrics(kit).body).toContain('\nhale_startup_duration_seconds 1.5\n');
  });
});
