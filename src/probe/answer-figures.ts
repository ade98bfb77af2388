import type { AnsweringFigures } from '../core/answering-figures.js';
import type { Decision } from '../core/decision.js';
import { type Histogram, createHistogram } from '../core/histogram.js';
import { METRICS } from '../core/metric-definitions.js';
import { type ReasonCode, reasonCode } from '../core/reason.js';
import { type AnswerCounter, createAnswerCounters } from './answer-counters.js';
import { PROBE_KINDS, type ProbeKind } from './probe-kind.js';

/** Counts what the answering side does and says. */
export interface AnswerFigures {
  /** The counter of an answer; the caller keeps it and adds to it without a look-up per probe. */
  counterOf(probe: ProbeKind, decision: Decision, status: number): AnswerCounter;
  /** A probe was answered in so many milliseconds. */
  handled(probe: ProbeKind, durationMs: number): void;
  /** What readiness says at `now`; the time since the last call counts for what it said then. */
  noteReadiness(decision: Decision, now: number): void;
  read(decisionOf: (probe: ProbeKind) => Decision, livenessFailures: number): AnsweringFigures;
}

/** Creates figures of nothing. */
export function createAnswerFigures(): AnswerFigures {
  return new Figures();
}

class Figures implements AnswerFigures {
  readonly #counters = createAnswerCounters();
  readonly #handled = new Map<ProbeKind, Histogram>(
    PROBE_KINDS.map((probe) => [probe, createHistogram(METRICS.probeHandlerDuration.buckets)]),
  );
  readonly #notReadyMs = new Map<ReasonCode, number>();
  #said: { readonly reason: ReasonCode | undefined; readonly at: number } | undefined;

  counterOf(probe: ProbeKind, decision: Decision, status: number): AnswerCounter {
    return this.#counters.of(probe, decision, status);
  }

  handled(probe: ProbeKind, durationMs: number): void {
    this.#handled.get(probe)?.record(durationMs / 1000);
  }

  noteReadiness({ status, reason }: Decision, now: number): void {
    const before = this.#said;
    if (before?.reason !== undefined) this.#add(before.reason, now - before.at);
    const code = status === 'fail' ? reasonCode(reason) : undefined;
    // From its first moment, so that a rate can be taken of it.
    if (code !== undefined) this.#add(code, 0);
    this.#said = { reason: code, at: now };
  }

  read(decisionOf: (probe: ProbeKind) => Decision, livenessFailures: number): AnsweringFigures {
    // First: deciding makes the counter of what is decided.
    const saying = PROBE_KINDS.map((probe) => {
      const { status, reason } = decisionOf(probe);
      return [probe, status, reasonCode(reason)] as const;
    });
    return {
      answers: Array.from(this.#counters.all(), ({ probe, reason, status, count }) => [
        { probe, reason, status: String(status) },
        count,
      ]),
      handled: Array.from(this.#handled, ([probe, histogram]) => [probe, histogram.view()]),
      saying,
      notReadyMs: [...this.#notReadyMs],
      livenessFailures,
    };
  }

  #add(reason: ReasonCode, ms: number): void {
    this.#notReadyMs.set(reason, (this.#notReadyMs.get(reason) ?? 0) + Math.max(0, ms));
  }
}
