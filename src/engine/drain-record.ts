import type { DrainProgress } from '../core/drain-progress.js';
import { createHistogram } from '../core/histogram.js';
import { METRICS } from '../core/metric-definitions.js';
import type { DrainStepView } from '../core/probe-state.js';
import type { Publisher } from './publisher.js';

/** Publishes how long each step of the drain took; the returned function is told as it gets on, and tells `next`. */
export function createDrainRecord(
  publisher: Pick<Publisher, 'patch'>,
  next: (progress: DrainProgress) => void,
): (progress: DrainProgress) => void {
  let ended: readonly DrainStepView[] = [];
  return (progress) => {
    if (progress.kind === 'step_end') {
      const durations = createHistogram(METRICS.drainStepDuration.buckets);
      durations.record(progress.durationMs / 1000);
      ended = [...ended, { step: progress.step, durations: durations.view() }];
      publisher.patch({ drainSteps: ended });
    }
    next(progress);
  };
}
