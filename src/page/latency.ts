import type { CheckDiagnosis, HistoryStep } from '../core/diagnosis.js';
import { duration, plural } from './text.js';

/** The last runs in words, for those who cannot see the line. */
export function latencyWords({ recent }: Pick<CheckDiagnosis, 'recent'>): string {
  if (recent.length === 0) return 'No runs yet';
  const sorted = recent.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
  const failed = recent.filter(({ status }) => status === 'fail').length;
  const least = duration(sorted[0] ?? 0);
  const most = duration(sorted.at(-1) ?? 0);
  const median = duration(sorted[Math.floor(sorted.length / 2)] ?? 0);
  const failures = failed === 0 ? 'none failed' : `${failed} failed`;
  return `Duration of the last ${plural(recent.length, 'run')}: ${least} to ${most}, median ${median}; ${failures}`;
}

/** The history summed up. */
export interface HistorySum {
  readonly runs: number;
  readonly failed: number;
  readonly warned: number;
  readonly maxMs: number;
  /** From the beginning of the first step to the end of the last. */
  readonly spanMs: number;
}

/** Sums the steps of a history up. */
export function sumOf(history: readonly HistoryStep[], spanMs: number): HistorySum {
  const sum = { runs: 0, failed: 0, warned: 0, maxMs: 0, spanMs };
  for (const { runs, failed, warned, maxMs } of history) {
    sum.runs += runs;
    sum.failed += failed;
    sum.warned += warned;
    sum.maxMs = Math.max(sum.maxMs, maxMs);
  }
  return sum;
}

/** A history in words. */
export function historyWords({ runs, failed, warned, maxMs, spanMs }: HistorySum): string {
  const warnings = warned === 0 ? '' : `, ${warned} warned`;
  return `Last ${duration(spanMs)}: ${plural(runs, 'run')}, ${failed} failed${warnings}, slowest ${duration(maxMs)}`;
}

/** Neighbouring steps in which runs failed or warned, as one span; newest first. */
export interface BadSpan {
  readonly from: string;
  readonly to: string;
  readonly runs: number;
  readonly failed: number;
  readonly warned: number;
}

/** The spans of a history in which something was wrong. */
export function badSpans(
  history: readonly HistoryStep[],
  endOf: (step: HistoryStep) => string,
): readonly BadSpan[] {
  const spans: HistoryStep[][] = [];
  let open: HistoryStep[] | undefined;
  for (const step of history) {
    if (step.failed + step.warned === 0) {
      open = undefined;
      continue;
    }
    if (open === undefined) spans.push((open = []));
    open.push(step);
  }
  return spans.toReversed().map((steps) => spanOf(steps, endOf));
}

function spanOf(steps: readonly HistoryStep[], endOf: (step: HistoryStep) => string): BadSpan {
  const [first] = steps;
  const last = steps.at(-1);
  const sum = { runs: 0, failed: 0, warned: 0 };
  for (const { runs, failed, warned } of steps) {
    sum.runs += runs;
    sum.failed += failed;
    sum.warned += warned;
  }
  // Only of the whole: formatting a time for each step was most of what a page of failing checks took.
  return { from: first?.at ?? '', to: last === undefined ? '' : endOf(last), ...sum };
}
