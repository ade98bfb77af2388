import { LEASE_OUTCOMES, type LeaseOutcome } from '../core/lease-host.js';

/** Counts of how attempts ended, for metrics. */
export interface OutcomeCounts {
  count(outcome: LeaseOutcome): void;
  snapshot(): Readonly<Record<LeaseOutcome, number>>;
}

/** Creates the counts, all 0. */
export function createOutcomeCounts(): OutcomeCounts {
  const counts = Object.fromEntries(LEASE_OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    LeaseOutcome,
    number
  >;
  return {
    count(outcome) {
      counts[outcome] += 1;
    },
    snapshot: () => ({ ...counts }),
  };
}
