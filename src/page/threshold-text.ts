import type { ThresholdProgress } from '../core/diagnosis.js';

/** How far a verdict is from changing, such as `2 of 3 failures until it fails`. */
export function thresholdText({ to, count, needed }: ThresholdProgress): string {
  return to === 'fail'
    ? `${count} of ${needed} failures until it fails`
    : `${count} of ${needed} successes until it passes`;
}
