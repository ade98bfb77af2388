import type { AnsweringFigures } from './answering-figures.js';
import type { Board } from './board.js';
import type { CheckStatus } from './check.js';
import { EXIT_PERMIT_STATES } from './exit-permit.js';
import type { HistogramView } from './histogram.js';
import { LEASE_STATES } from './lease-host.js';
import { METRICS, type MetricDefinition } from './metric-definitions.js';
import { PHASES } from './phase.js';
import type { CheckView, ProbeState } from './probe-state.js';
import { freshStatus } from './readiness.js';

/** A metric with all its samples at one moment, as plain data. */
export interface MetricReading {
  readonly metric: MetricDefinition;
  readonly samples: readonly MetricSample[];
}

/** One series: a number, or a histogram where the metric is one. */
export type MetricSample =
  | { readonly labels: MetricLabels; readonly value: number }
  | { readonly labels: MetricLabels; readonly histogram: HistogramView };

export type MetricLabels = Readonly<Record<string, string>>;

/** What metrics are read from. */
export interface MetricsSource {
  readonly state: ProbeState;
  readonly board: Pick<Board, 'phase' | 'inFlight' | 'loopBeatAt' | 'evaluatedAt' | 'loopDelays'>;
  readonly now: number;
  readonly nodeVersion: string;
  /** Absent where no probe can be answered. */
  readonly answering?: AnsweringFigures | undefined;
}

const CHECK_VALUE: Record<CheckStatus, number> = { pass: 1, warn: 0.5, fail: 0, unknown: -1 };

/** Reads every metric of the list; one without samples has an empty list of them. */
export function readMetrics(source: MetricsSource): readonly MetricReading[] {
  return [
    ...serviceReadings(source),
    ...probeReadings(source.answering),
    ...checkReadings(source),
    ...processReadings(source),
    ...leaseReadings(source),
    ...exitReadings(source),
  ];
}

function serviceReadings({ state, board, nodeVersion }: MetricsSource): MetricReading[] {
  const { version = '', releaseId = '' } = state.service;
  const labels = { version, release: releaseId, node: nodeVersion };
  return [
    reading(METRICS.buildInfo, [{ labels, value: 1 }]),
    single(METRICS.processStartTime, seconds(state.startedAt)),
    reading(METRICS.phase, oneOf('phase', PHASES, board.phase())),
  ];
}

function probeReadings(figures: AnsweringFigures | undefined): MetricReading[] {
  const { answers = [], handled = [], saying = [], notReadyMs = [] } = figures ?? {};
  const failures = figures === undefined ? undefined : figures.livenessFailures;
  return [
    reading(
      METRICS.probeAnswers,
      answers.map(([labels, value]) => ({ labels, value })),
    ),
    reading(
      METRICS.probeStatus,
      saying.map(([probe, status]) => ({ labels: { probe }, value: CHECK_VALUE[status] })),
    ),
    reading(
      METRICS.probeReason,
      saying.map(([probe, , reason]) => ({ labels: { probe, reason }, value: 1 })),
    ),
    reading(
      METRICS.probeHandlerDuration,
      handled.map(([probe, histogram]) => ({ labels: { probe }, histogram })),
    ),
    reading(
      METRICS.notReady,
      notReadyMs.map(([reason, ms]) => ({ labels: { reason }, value: ms / 1000 })),
    ),
    single(METRICS.livenessFailures, failures),
  ];
}

function checkReadings({ state, now }: MetricsSource): MetricReading[] {
  const views = [...state.checks.values()];
  const each = (
    metric: MetricDefinition,
    valueOf: (view: CheckView) => number | undefined,
  ): MetricReading =>
    reading(
      metric,
      views.flatMap((view) => {
        const value = valueOf(view);
        return value === undefined ? [] : [{ labels: { check: view.name }, value }];
      }),
    );
  return [
    each(METRICS.checkStatus, (view) => CHECK_VALUE[freshStatus(view, now)]),
    reading(METRICS.checkValue, views.flatMap(valueSamples)),
    reading(
      METRICS.checkDuration,
      views.flatMap(({ name, durations }) =>
        durations === undefined ? [] : [{ labels: { check: name }, histogram: durations }],
      ),
    ),
    each(METRICS.checkLastDuration, ({ last }) => seconds(last?.durationMs)),
    each(METRICS.checkAge, ({ ranAt }) => seconds(ranAt === undefined ? ranAt : since(ranAt, now))),
    each(METRICS.checkRuns, ({ runs }) => runs),
    each(METRICS.checkAbandonedRuns, ({ abandoned }) => abandoned),
    each(METRICS.checkTransitions, ({ transitions }) => transitions),
  ];
}

function valueSamples({ name: check, component, measured }: CheckView): MetricSample[] {
  if (measured?.value === undefined) return [];
  const { measurement = '' } = component;
  return [{ labels: { check, measurement, unit: measured.unit }, value: measured.value }];
}

function processReadings({ state, board, now }: MetricsSource): MetricReading[] {
  const steps = state.drainSteps ?? [];
  return [
    single(METRICS.startupDuration, seconds(state.startup.durationMs)),
    reading(METRICS.eventLoopDelay, [{ labels: {}, histogram: board.loopDelays() }]),
    single(METRICS.eventLoopBeatAge, seconds(ageOf(board.loopBeatAt(), now))),
    single(METRICS.snapshotAge, seconds(ageOf(board.evaluatedAt(), now))),
    single(METRICS.requestsInFlight, board.inFlight()),
    reading(
      METRICS.drainStepDuration,
      steps.map(({ step, durations }) => ({ labels: { step }, histogram: durations })),
    ),
  ];
}

function leaseReadings({ state: { leases = [] } }: MetricsSource): MetricReading[] {
  return [
    reading(
      METRICS.leaseState,
      leases.flatMap(({ name: lease, state }) => oneOf('state', LEASE_STATES, state, { lease })),
    ),
    reading(
      METRICS.leaseAttempts,
      leases.flatMap(({ name: lease, outcomes }) =>
        Object.entries(outcomes).map(([outcome, value]) => ({ labels: { lease, outcome }, value })),
      ),
    ),
  ];
}

function exitReadings({ state: { gates, exitPermits } }: MetricsSource): MetricReading[] {
  const { exitPermit = 'not_needed' } = gates;
  const counts = Object.entries(exitPermits ?? {});
  return [
    reading(
      METRICS.exitPermit,
      exitPermits === undefined ? [] : oneOf('state', EXIT_PERMIT_STATES, exitPermit),
    ),
    reading(
      METRICS.exitPermits,
      counts.map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
  ];
}

function oneOf(
  label: string,
  all: readonly string[],
  current: string,
  labels: MetricLabels = {},
): MetricSample[] {
  return all.map((each) => ({
    labels: { ...labels, [label]: each },
    value: each === current ? 1 : 0,
  }));
}

function reading(metric: MetricDefinition, samples: readonly MetricSample[]): MetricReading {
  return { metric, samples };
}

function single(metric: MetricDefinition, value: number | undefined): MetricReading {
  return reading(metric, value === undefined ? [] : [{ labels: {}, value }]);
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}

/** The board's 0 is a time that has not been. */
function ageOf(at: number, now: number): number | undefined {
  return at === 0 ? undefined : since(at, now);
}

function since(at: number, now: number): number {
  return Math.max(0, now - at);
}
