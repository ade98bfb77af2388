import type { CheckStatus, Impact, JsonValue } from '../../src/core/check.js';
import type {
  CheckDiagnosis,
  Diagnosis,
  HistoryStep,
  ProbeDiagnosis,
  ProcessSample,
  RecentRun,
  TimelineEntry,
} from '../../src/core/diagnosis.js';
import type { LeaseView } from '../../src/core/lease-host.js';

/** The moment of every report made here. */
export const AT = '2026-11-30T03:12:41.000Z';

const NOW = Date.parse(AT);
const STEP_MS = 300_000;

/** A time before the moment of the report. */
export function before(ms: number): string {
  return new Date(NOW - ms).toISOString();
}

/** A probe that passes. */
export const PASSING: ProbeDiagnosis = { status: 'pass', httpStatus: 200, reason: 'ok', why: [] };

/** A report of a started service in which all is well, with changes. */
export function diagnosis(changes: Partial<Diagnosis> = {}): Diagnosis {
  return {
    schema: 1,
    at: AT,
    phase: 'running',
    uptimeMs: 9_000_000,
    instance: {
      pid: 4711,
      host: 'orders-7c9f',
      nodeVersion: 'v20.20.2',
      version: '1.4.2',
      releaseId: 'a1b2c3d',
    },
    probes: {
      startup: PASSING,
      liveness: PASSING,
      readiness: { ...PASSING, since: before(8_990_000) },
    },
    checks: [
      check('database', {
        observedValue: { used: 3, total: 8, idle: 5, waiting: 0, max: 10 },
        observedUnit: 'connections',
      }),
      check('cache', { impact: 'degraded' }),
      check('payments', { impact: 'optional', observedValue: 'closed' }),
    ],
    timeline: [
      {
        at: before(8_990_000),
        kind: 'probe',
        name: 'readiness',
        from: 'fail',
        to: 'pass',
        lastedMs: 4_200,
        text: 'ok',
      },
      {
        at: before(8_991_000),
        kind: 'phase',
        name: 'phase',
        from: 'starting',
        to: 'running',
        lastedMs: 3_100,
      },
    ],
    process: {
      rssBytes: 187_000_000,
      memoryLimitBytes: 536_870_912,
      loopBeatAgeMs: 210,
      loopStalled: false,
      inFlight: 4,
      snapshotAgeMs: 320,
      main: {
        ageMs: 320,
        heapUsedBytes: 91_000_000,
        heapLimitBytes: 400_000_000,
        externalBytes: 4_200_000,
        utilisation: 0.31,
        gc: { pauses: 41, totalMs: 96, longestMs: 7.4 },
      },
      series: samples(90),
    },
    leases: [],
    findings: [],
    ...changes,
  };
}

/** A check that passes, with changes. */
export function check(name: string, changes: Partial<CheckDiagnosis> = {}): CheckDiagnosis {
  return {
    name,
    impact: 'critical',
    verdict: 'pass',
    since: before(8_990_000),
    lastDurationMs: 2.4,
    ageMs: 1_800,
    runs: 1_804,
    abandoned: 0,
    hanging: 0,
    transitions: 1,
    recent: runs(60),
    history: steps(30),
    ...changes,
  };
}

/** A check whose runs fail. */
export function failing(name: string, changes: Partial<CheckDiagnosis> = {}): CheckDiagnosis {
  return check(name, {
    verdict: 'fail',
    since: before(243_000),
    code: 'check_timeout',
    output: 'no answer from 10.0.4.17:5432 within 1000 ms',
    lastDurationMs: 1_000,
    ageMs: 700,
    threshold: { to: 'pass', count: 0, needed: 2 },
    recent: runs(60, 14),
    history: steps(30, 1),
    ...changes,
  });
}

function runs(count: number, failed = 0): RecentRun[] {
  return Array.from({ length: count }, (_, index) => {
    const fails = index >= count - failed;
    return {
      at: before((count - index) * 5_000),
      durationMs: fails ? 1_000 : 2 + (index % 7) * 0.4 + (index % 13 === 0 ? 6 : 0),
      status: fails ? 'fail' : 'pass',
    };
  });
}

function steps(count: number, failed = 0): HistoryStep[] {
  return Array.from({ length: count }, (_, index) => {
    const fails = index >= count - failed;
    return {
      at: before((count - index) * STEP_MS),
      stepMs: STEP_MS,
      runs: 60,
      failed: fails ? 40 : 0,
      warned: 0,
      meanMs: fails ? 690 : 2.6 + (index % 5) * 0.2,
      maxMs: fails ? 1_000 : 9 + (index % 4) * 3,
    };
  });
}

function samples(count: number, stalledFor = 0): ProcessSample[] {
  return Array.from({ length: count }, (_, index) => {
    const stalled = index >= count - stalledFor;
    return {
      at: before((count - index) * 1_000),
      rssBytes: 180_000_000 + index * 70_000 + (index % 9) * 300_000,
      inFlight: stalled ? 11 : 2 + (index % 5),
      loopDelayMs: stalled ? (index - count + stalledFor + 1) * 1_000 : 1 + (index % 6) * 0.7,
      ...(stalled
        ? {}
        : {
            heapUsedBytes: 80_000_000 + (index % 20) * 900_000,
            utilisation: 0.2 + (index % 8) * 0.03,
          }),
    };
  });
}

/** A lease that is held, with changes. */
export function lease(changes: Partial<LeaseView> = {}): LeaseView {
  const outcomes = {
    granted: 1,
    denied: 3,
    renewed: 214,
    refused: 0,
    timeout: 1,
    error: 0,
    late: 0,
    regressed: 0,
    released: 0,
    not_held: 0,
  };
  return {
    name: 'nightly-billing',
    backend: 'postgres',
    holder: 'orders-7c9f/4711',
    impact: 'critical',
    state: 'held',
    fence: '1842',
    remainingMs: 18_400,
    outcomes,
    lastLatencyMs: 3.2,
    ...changes,
  };
}

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
        startup: probe('starting', [
          { kind: 'fact', text: '1 of 3 start-up tasks are done, 40 %' },
          { kind: 'fact', text: 'waits for "price list"' },
          { kind: 'fact', text: 'waits for "warm cache"' },
        ]),
        liveness: PASSING,
        readiness: probe('starting', [
          { kind: 'fact', text: '1 of 3 start-up tasks are done, 40 %' },
        ]),
      },
      checks: [
        check('database', { verdict: 'unknown', runs: 0, recent: [], history: [], ...NEVER }),
      ],
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
      ...probe('check_degraded:cache', [
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
      ...probe('event_loop_stalled', [
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
        readiness: { ...probe('stale', []), since: before(2_400) },
      },
      process: {
        ...well.process,
        loopStalled: true,
        loopBeatAgeMs: 12_400,
        snapshotAgeMs: 12_400,
        series: samples(90, 12),
      },
      stall: {
        at: before(7_400),
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
      probes: { ...well.probes, readiness: { ...probe('draining', []), since: before(12_300) } },
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

const NEVER: Partial<CheckDiagnosis> = { transitions: 0 };

function probe(reason: string, why: ProbeDiagnosis['why'][number]): ProbeDiagnosis {
  return {
    status: 'fail',
    httpStatus: 503,
    reason,
    since: before(4_000),
    why: [[{ kind: 'reason', text: reason }, ...why]],
  };
}

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
