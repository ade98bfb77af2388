import type { Decision } from './decision.js';
import { type Reason, type ReasonCode, reasonCode } from './reason.js';

/**
 * Reasons that say nothing against taking jobs: at capacity is about requests, and jobs have a limit of their own.
 */
const NO_OBSTACLE: readonly ReasonCode[] = [
  'at_capacity',
  'held_by_floor',
  'check_degraded',
  'group_degraded',
  'ok',
];

/**
 * Why no job may be taken now, or `undefined` when one may (D4). The first reason suffices: whatever forbids jobs
 * comes before `at_capacity` in the order of precedence.
 */
export function consumptionBlockedBy({ reason }: Pick<Decision, 'reason'>): Reason | undefined {
  return NO_OBSTACLE.includes(reasonCode(reason)) ? undefined : reason;
}
