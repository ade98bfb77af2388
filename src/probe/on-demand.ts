import type { Clock } from '../core/clock.js';

export interface OnDemandOptions {
  /** Runs the checks that are due; resolves once their results are published. */
  readonly evaluate: () => Promise<void>;
  /** Longest time one probe waits. */
  readonly waitMs: number;
  readonly clock: Pick<Clock, 'setTimeout'>;
}

/**
 * Lets probes ask for an evaluation: however many ask at once, one is under way, and each waits for it only so long
 * (C6). The returned promise never rejects; after it, the probe decides on what is known.
 */
export function createOnDemand({ evaluate, waitMs, clock }: OnDemandOptions): () => Promise<void> {
  let flight: Promise<void> | undefined;

  function join(): Promise<void> {
    flight ??= evaluate()
      // A failed evaluation published nothing; expiry then speaks for itself.
      .catch(() => {})
      .finally(() => {
        flight = undefined;
      });
    return flight;
  }

  return () =>
    new Promise((resolve) => {
      const timer = clock.setTimeout(resolve, waitMs);
      void join().then(() => {
        timer.clear();
        resolve();
      });
    });
}
