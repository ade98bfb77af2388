import type {
  CheckDiagnosis,
  Diagnosis,
  HistoryStep,
  ProbeDiagnosis,
  ProcessSample,
  RecentRun,
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

/** A check that has never run. */
export function neverRun(name: string): CheckDiagnosis {
  return {
    name,
    impact: 'critical',
    verdict: 'unknown',
    runs: 0,
    abandoned: 0,
    hanging: 0,
    transitions: 0,
    recent: [],
    history: [],
  };
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

/** Readings of the process, one a second, of which the last ones come from a loop that stands. */
export function samples(count: number, stalledFor = 0): ProcessSample[] {
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

/** A probe that fails, and why. */
export function failingProbe(reason: string, why: ProbeDiagnosis['why'][number]): ProbeDiagnosis {
  return {
    status: 'fail',
    httpStatus: 503,
    reason,
    since: before(4_000),
    why: [[{ kind: 'reason', text: reason }, ...why]],
  };
}
