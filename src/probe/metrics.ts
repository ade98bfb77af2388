import type { Board } from '../core/board.js';
import type { CheckStatus } from '../core/check.js';
import type { Clock } from '../core/clock.js';
import type { CheckView } from '../core/probe-state.js';
import { freshStatus } from '../core/readiness.js';
import { type MetricFamily, type MetricSample, encodePrometheus } from '../protocol/prometheus.js';
import type { ProbeModel } from './probe-model.js';

export interface MetricsSource {
  readonly model: ProbeModel;
  readonly board: Board;
  readonly clock: Pick<Clock, 'now'>;
}

const STATUS_VALUE: Record<CheckStatus, number> = { pass: 1, warn: 0.5, fail: 0, unknown: -1 };

/** The probe side's metrics as Prometheus text; every label set is bounded by what is registered (O1). */
export function renderMetrics(source: MetricsSource): string {
  const now = source.clock.now();
  return encodePrometheus([
    ...probeFamilies(source),
    ...checkFamilies(source, now),
    ...processFamilies(source, now),
  ]);
}

function probeFamilies({ model }: MetricsSource): MetricFamily[] {
  const answers = [...model.answers()].map(({ probe, reason, status, count }) => ({
    labels: { probe, reason, status },
    value: count,
  }));
  return [
    family(
      'hale_probe_answers_total',
      'counter',
      'Probes answered, by reason code and HTTP status.',
      answers,
    ),
    family(
      'hale_liveness_failures_total',
      'counter',
      'Times liveness turned from good to failed.',
      [{ value: model.livenessFailures() }],
    ),
  ];
}

function checkFamilies({ model }: MetricsSource, now: number): MetricFamily[] {
  const views = [...model.state().checks.values()];
  const each = (valueOf: (view: CheckView) => number | undefined): MetricSample[] =>
    views.flatMap((view) => {
      const value = valueOf(view);
      return value === undefined ? [] : [{ labels: { check: view.name }, value }];
    });
  return [
    family(
      'hale_check_status',
      'gauge',
      'Verdict of a check: 1 pass, 0.5 warn, 0 fail, -1 never ran or expired.',
      each((view) => STATUS_VALUE[freshStatus(view, now)]),
    ),
    family(
      'hale_check_last_duration_seconds',
      'gauge',
      'Duration of the last run of a check, failed ones too.',
      each(({ last }) => (last === undefined ? undefined : last.durationMs / 1000)),
    ),
    family(
      'hale_check_runs_total',
      'counter',
      'Finished runs of a check.',
      each(({ runs }) => runs),
    ),
    family(
      'hale_check_abandoned_runs_total',
      'counter',
      'Runs of a check that passed their timeout and were given up.',
      each(({ abandoned }) => abandoned),
    ),
    family(
      'hale_check_transitions_total',
      'counter',
      'Changes of verdict of a check.',
      each(({ transitions }) => transitions),
    ),
  ];
}

function processFamilies({ model, board }: MetricsSource, now: number): MetricFamily[] {
  const { durationMs } = model.state().startup;
  return [
    gauge(
      'hale_startup_duration_seconds',
      'Time from creation to the end of start-up.',
      durationMs,
    ),
    gauge(
      'hale_event_loop_beat_age_seconds',
      'Time since the main event loop last turned.',
      ageOf(board.loopBeatAt(), now),
    ),
    gauge(
      'hale_snapshot_age_seconds',
      'Time since the checks were last evaluated.',
      ageOf(board.evaluatedAt(), now),
    ),
    family('hale_requests_in_flight', 'gauge', 'Requests the application is working on.', [
      { value: board.inFlight() },
    ]),
  ];
}

function ageOf(at: number, now: number): number | undefined {
  return at === 0 ? undefined : Math.max(0, now - at);
}

function gauge(name: string, help: string, ms: number | undefined): MetricFamily {
  return family(name, 'gauge', help, ms === undefined ? [] : [{ value: ms / 1000 }]);
}

function family(
  name: string,
  type: MetricFamily['type'],
  help: string,
  samples: readonly MetricSample[],
): MetricFamily {
  return { name, type, help, samples };
}
