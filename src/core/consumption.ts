import type { Decision } from './decision.js';
import { type Reason, type ReasonCode, reasonCode } from './reason.js';

/**
 * Reasons that say nothing against taking jobs: at capacity is about requests, and jobs have a limit of their own.
 */
const NO_OBSTACLE: readonly ReasonCode[] = [
  'at_capacity',
  'check_degraded',
  'group_degraded',
  'ok',
];

/**
 * Why no job may be taken now, or `undefined` when one may (D4). The first reason suffices: whatever forbids jobs
 * comes before `at_capacity` in the order of precedence. An instance that is held in rotation takes requests, but no
 * jobs that need what is down.
 */
export function consumptionBlockedBy({
  reason,
  heldFor,
}: Pick<Decision, 'reason' | 'heldFor'>): Reason | undefined {
  const first = heldFor?.[0] ?? reason;
  return NO_OBSTACLE.includes(reasonCode(first)) ? undefined : first;
}
