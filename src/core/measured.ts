import type { Outcome } from './outcome.js';
import type { Measured } from './probe-state.js';

/**
 * What metrics tell of the number a run saw. The unit of the first one stays: a check that gives another each time
 * would make a series each time (O1).
 */
export function nextMeasured(
  before: Measured | undefined,
  { observedValue, observedUnit = '' }: Pick<Outcome, 'observedValue' | 'observedUnit'>,
): Measured | undefined {
  const value = typeof observedValue === 'number' ? observedValue : undefined;
  if (before === undefined) return value === undefined ? undefined : { unit: observedUnit, value };
  const { unit } = before;
  return value === undefined || observedUnit !== unit ? { unit } : { unit, value };
}
