import type { Decision } from '../core/decision.js';
import { reasonCode } from '../core/reason.js';
import type { ProbeKind } from './probe-kind.js';

/** How often one probe gave one answer. */
export interface AnswerCounter {
  readonly probe: ProbeKind;
  /** Reason code without its name, so that the label set stays bounded. */
  readonly reason: string;
  /** HTTP status. */
  readonly status: number;
  count: number;
}

export interface AnswerCounters {
  /** The counter of an answer; the caller keeps it and adds to it without a look-up per probe. */
  of(probe: ProbeKind, decision: Decision, status: number): AnswerCounter;
  all(): Iterable<AnswerCounter>;
}

/** Creates counters, at most one per probe, reason code and HTTP status. */
export function createAnswerCounters(): AnswerCounters {
  const counters = new Map<string, AnswerCounter>();
  return {
    of(probe, decision, status) {
      const reason = reasonCode(decision.reason);
      const key = `${probe} ${reason} ${status}`;
      const known = counters.get(key);
      if (known !== undefined) return known;
      const counter = { probe, reason, status, count: 0 };
      counters.set(key, counter);
      return counter;
    },
    all: () => counters.values(),
  };
}
