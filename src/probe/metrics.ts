import { withAnswersOf } from '../core/answering-figures.js';
import type { Board } from '../core/board.js';
import type { Clock } from '../core/clock.js';
import { type MetricReading, readMetrics } from '../core/metric-readings.js';
import {
  OPENMETRICS_TEXT,
  PROMETHEUS_TEXT,
  encodeOpenMetrics,
  encodePrometheus,
  prefersOpenMetrics,
} from '../protocol/prometheus.js';
import { type Prepared, response } from './prepared.js';
import type { ProbeModel } from './probe-model.js';

export interface AnsweringSource {
  readonly model: ProbeModel;
  readonly board: Board;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Reads every metric on the side that answers probes: what it counts itself and what is on the board is live, also
 * while the main loop stands still; the rest is as old as the snapshot, whose age is among it (O1).
 */
export function readAnswering({ model, board, clock }: AnsweringSource): readonly MetricReading[] {
  const now = clock.now();
  const state = model.state();
  return readMetrics({
    state,
    board,
    now,
    nodeVersion: nodeVersion(),
    answering: withAnswersOf(model.figures(now), state.mounted),
  });
}

/** The metrics as text in the format that the `Accept` header of a scrape asks for. */
export function renderMetrics(source: AnsweringSource, accept?: string): Prepared {
  const readings = readAnswering(source);
  const vary = ['Vary', 'Accept'];
  return prefersOpenMetrics(accept)
    ? response(200, OPENMETRICS_TEXT, encodeOpenMetrics(readings), vary)
    : response(200, PROMETHEUS_TEXT, encodePrometheus(readings), vary);
}

/** Runtimes of fetch-style handlers need not have a version of Node.js. */
export function nodeVersion(): string {
  const { process: running } = globalThis as { readonly process?: { readonly version?: string } };
  return running?.version ?? '';
}
