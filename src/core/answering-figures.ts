import type { Status } from './check.js';
import type { HistogramView } from './histogram.js';
import type { ReasonCode } from './reason.js';

/** Answers by probe, reason code and HTTP status, and the time they took in seconds by probe. */
export interface AnswerCounts {
  readonly answers: readonly (readonly [labels: AnswerLabels, count: number])[];
  readonly handled: readonly (readonly [probe: string, view: HistogramView])[];
}

export type AnswerLabels = Readonly<Record<'probe' | 'reason' | 'status', string>>;

/** What the side that answers probes has counted itself. */
export interface AnsweringFigures extends AnswerCounts {
  /** What each probe says now. */
  readonly saying: readonly (readonly [probe: string, status: Status, reason: ReasonCode])[];
  /** Time in which readiness failed, by reason code. */
  readonly notReadyMs: readonly (readonly [reason: string, ms: number])[];
  readonly livenessFailures: number;
}

/** The figures of one side with the answers that another has given. */
export function withAnswersOf(
  figures: AnsweringFigures,
  other: AnswerCounts | undefined,
): AnsweringFigures {
  if (other === undefined) return figures;
  const answers = new Map(figures.answers.map((each) => [keyOf(each[0]), each]));
  for (const [labels, count] of other.answers) {
    const [, known = 0] = answers.get(keyOf(labels)) ?? [];
    answers.set(keyOf(labels), [labels, known + count]);
  }
  const handled = new Map(figures.handled);
  for (const [probe, view] of other.handled) {
    const known = handled.get(probe);
    handled.set(probe, known === undefined ? view : sumOf(known, view));
  }
  return { ...figures, answers: [...answers.values()], handled: [...handled] };
}

/** What has been counted since `before`, by counters that only grow; those that did not are at 0. */
export function answersSince(counts: AnswerCounts, before: AnswerCounts): AnswerCounts {
  const answers = new Map(before.answers.map(([labels, count]) => [keyOf(labels), count]));
  const handled = new Map(before.handled);
  return {
    answers: counts.answers.map(([labels, count]) => [
      labels,
      count - (answers.get(keyOf(labels)) ?? 0),
    ]),
    handled: counts.handled.map(([probe, view]) => {
      const known = handled.get(probe);
      return [probe, known === undefined ? view : differenceOf(view, known)];
    }),
  };
}

function keyOf({ probe, reason, status }: AnswerLabels): string {
  return `${probe} ${reason} ${status}`;
}

function sumOf(one: HistogramView, other: HistogramView): HistogramView {
  return {
    counts: one.counts.map((count, index) => count + (other.counts[index] ?? 0)),
    sum: one.sum + other.sum,
  };
}

function differenceOf(view: HistogramView, before: HistogramView): HistogramView {
  return {
    counts: view.counts.map((count, index) => count - (before.counts[index] ?? 0)),
    sum: Math.max(0, view.sum - before.sum),
  };
}
