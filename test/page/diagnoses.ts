import type { CheckStatus, Impact, JsonValue } from '../../src/core/check.js';
import type { Diagnosis, ProbeDiagnosis, TimelineEntry } from '../../src/core/diagnosis.js';
import {
  AT,
  PASSING,
  before,
  check,
  diagnosis,
  failing,
  failingProbe,
  lease,
  neverRun,
  samples,
} from './report-parts.js';

const DATABASE_DOWN: ProbeDiagnosis = {
  status: 'fail',
  httpStatus: 503,
  reason: 'check_failed:database',
  since: before(243_000),
  why: [
    [
      { kind: 'reason', text: 'check_failed:database' },
      {
        kind: 'verdict',
        text: '"database" (critical) is at fail',
        status: 'fail',
        at: before(243_000),
      },
      { kind: 'outcome', text: 'fail after 1000 ms', status: 'fail', at: before(700) },
      { kind: 'outcome', text: 'fail after 1000 ms', status: 'fail', at: before(2_700) },
      { kind: 'outcome', text: 'fail after 1000 ms', status: 'fail', at: before(4_700) },
      {
        kind: 'error',
        text: 'check_timeout: no answer from 10.0.4.17:5432 within 1000 ms',
        status: 'fail',
        at: before(700),
      },
    ],
  ],
};

const DATABASE_FELL: readonly TimelineEntry[] = [
  {
    at: before(243_000),
    kind: 'probe',
    name: 'readiness',
    from: 'pass',
    to: 'fail',
    lastedMs: 8_747_000,
    text: 'check_failed:database',
  },
  {
    at: before(243_000),
    kind: 'check',
    name: 'database',
    from: 'pass',
    to: 'fail',
    lastedMs: 8_747_000,
    text: 'check_timeout: no answer from 10.0.4.17:5432 within 1000 ms',
  },
];

/** A report of each state that the page must tell at a glance. */
export const STATES = {
  ready: (): Diagnosis => diagnosis({ leases: [lease()] }),

  noChecks: (): Diagnosis => diagnosis({ checks: [], timeline: [] }),

  starting: (): Diagnosis =>
    diagnosis({
      phase: 'starting',
      uptimeMs: 4_100,
      probes: {
        startup: failingProbe('starting', [
          { kind: 'fact', text: '1 of 3 start-up tasks are done, 40 %' },
          { kind: 'fact', text: 'waits for "price list"' },
          { kind: 'fact', text: 'waits for "warm cache"' },
        ]),
        liveness: PASSING,
        readiness: failingProbe('starting', [
          { kind: 'fact', text: '1 of 3 start-up tasks are done, 40 %' },
        ]),
      },
      checks: [neverRun('database')],
      timeline: [],
    }),

  databaseDown: (): Diagnosis => {
    const well = diagnosis();
    return {
      ...well,
      probes: { ...well.probes, readiness: DATABASE_DOWN },
      checks: [
        check('cache', { impact: 'degraded' }),
        check('payments', { impact: 'optional', observedValue: 'closed', observedUnit: 'breaker' }),
        failing('database', {
          observedValue: { used: 10, total: 10, idle: 0, waiting: 23, max: 10 },
          observedUnit: 'connections',
        }),
      ],
      timeline: [...DATABASE_FELL, ...well.timeline],
      findings: ['the process runs under npm, which swallows SIGTERM: start node itself'],
    };
  },

  degraded: (): Diagnosis => {
    const well = diagnosis();
    const readiness: ProbeDiagnosis = {
      ...failingProbe('check_degraded:cache', [
        {
          kind: 'verdict',
          text: '"cache" (degraded) is at fail',
          status: 'fail',
          at: before(31_000),
        },
        {
          kind: 'error',
          text: 'connect ECONNREFUSED 10.0.4.20:6379',
          status: 'fail',
          at: before(400),
        },
      ]),
      status: 'warn',
      httpStatus: 200,
      since: before(31_000),
    };
    return {
      ...well,
      probes: { ...well.probes, readiness },
      checks: [
        check('database'),
        failing('cache', {
          impact: 'degraded',
          since: before(31_000),
          code: 'ECONNREFUSED',
          output: 'connect ECONNREFUSED 10.0.4.20:6379',
        }),
        check('certificate', {
          verdict: 'warn',
          impact: 'optional',
          observedValue: 12,
          observedUnit: 'days',
          output: 'expires in 12 days',
          code: 'expires_soon',
        }),
      ],
    };
  },

  blocked: (): Diagnosis => {
    const well = diagnosis();
    const liveness: ProbeDiagnosis = {
      ...failingProbe('event_loop_stalled', [
        { kind: 'fact', text: 'the main loop has not turned for 12400 ms, 5000 ms are allowed' },
        { kind: 'fact', text: 'renderReport (/app/src/report.js:118:9)' },
      ]),
      since: before(7_400),
    };
    return {
      ...well,
      probes: {
        ...well.probes,
        liveness,
        readiness: { ...failingProbe('stale', []), since: before(2_400) },
      },
      process: {
        ...well.process,
        loopStalled: true,
        loopBeatAgeMs: 12_400,
        snapshotAgeMs: 12_400,
        series: samples(90, 12),
      },
      stall: {
        at: before(12_400),
        blockedForMs: 12_400,
        ongoing: true,
        cause: {
          kind: 'javascript',
          frames: [
            { functionName: 'renderReport', file: '/app/src/report.js', line: 118, column: 9 },
            { functionName: '', file: '/app/src/routes.js', line: 41, column: 20 },
            {
              functionName: 'Layer.handle',
              file: '/app/node_modules/express/lib/router/layer.js',
              line: 95,
              column: 5,
            },
          ],
        },
      },
      timeline: [
        { at: before(7_400), kind: 'stall', name: 'main loop', from: 'turning', to: 'standing' },
        ...well.timeline,
      ],
    };
  },

  draining: (): Diagnosis => {
    const well = diagnosis({ leases: [lease()] });
    return {
      ...well,
      phase: 'draining',
      probes: {
        ...well.probes,
        readiness: { ...failingProbe('draining', []), since: before(12_300) },
      },
      drain: {
        reason: 'SIGTERM',
        since: before(12_300),
        leftMs: 12_700,
        steps: [
          { step: 'propagation', state: 'done', durationMs: 10_000 },
          { step: 'stop_accepting', state: 'done', durationMs: 3 },
          { step: 'in_flight', state: 'running' },
          { step: 'consumers', state: 'waiting' },
          { step: 'closers', state: 'waiting' },
          { step: 'lease_release', state: 'waiting' },
        ],
        open: ['GET /reports/2026-11 for 11.2 s', 'job 8812 of the queue "invoices"'],
      },
    };
  },

  stopped: (): Diagnosis => diagnosis({ phase: 'stopped' }),

  manyChecks: (): Diagnosis => {
    const verdicts: readonly CheckStatus[] = [
      'pass',
      'pass',
      'pass',
      'warn',
      'pass',
      'pass',
      'unknown',
    ];
    const impacts: readonly Impact[] = ['critical', 'degraded', 'optional'];
    const checks = Array.from({ length: 200 }, (_, index) => {
      const name = `tenant-${String(index).padStart(3, '0')}`;
      const impact = impacts[index % 3] ?? 'critical';
      return index % 61 === 0
        ? failing(name, { impact })
        : check(name, {
            impact,
            verdict: index % 19 === 0 ? (verdicts[index % 7] ?? 'pass') : 'pass',
          });
    });
    const well = diagnosis({ checks });
    return {
      ...well,
      probes: {
        ...well.probes,
        readiness: { ...DATABASE_DOWN, reason: 'check_failed:tenant-000' },
      },
    };
  },
} satisfies Record<string, () => Diagnosis>;

/** A check with every text that somebody else chose set to one. */
export function hostile(text: string): Diagnosis {
  const value: JsonValue = { [text]: text };
  const entry: TimelineEntry = { at: AT, kind: 'check', name: text, from: text, to: text, text };
  return {
    ...STATES.draining(),
    instance: {
      pid: 1,
      host: text,
      nodeVersion: text,
      haleVersion: text,
      version: text,
      releaseId: text,
    },
    probes: {
      startup: PASSING,
      liveness: {
        ...PASSING,
        status: 'fail',
        reason: text,
        why: [[{ kind: 'error', text, at: text }]],
      },
      readiness: {
        ...PASSING,
        status: 'fail',
        reason: `check_failed:${text}`,
        why: [[{ kind: 'reason', text }]],
      },
    },
    checks: [failing(text, { code: text, output: text, observedValue: value, observedUnit: text })],
    timeline: [entry],
    leases: [lease({ name: text, backend: text, holder: text, fence: text })],
    drain: { reason: text, since: AT, leftMs: 1, steps: [], open: [text] },
    stall: {
      at: AT,
      blockedForMs: 1,
      ongoing: false,
      cause: {
        kind: 'native',
        frames: [{ functionName: text, file: text, line: 1, column: 1 }],
        kernel: { state: text, wchan: text, syscall: text, childProcesses: [text] },
      },
    },
    findings: [text],
  };
}
