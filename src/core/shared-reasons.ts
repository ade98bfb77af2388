import type { Decision } from './decision.js';
import { DEFAULTS } from './defaults.js';
import { type Reason, type ReasonCode, reason, reasonCode } from './reason.js';

/** What a reason is judged by beside itself. */
export interface SharedContext {
  /** Whether any check runs only when a probe asks. */
  readonly onDemand: boolean;
  /** Time since the checks were last evaluated. */
  readonly snapshotAgeMs: number;
}

const SHARED: readonly ReasonCode[] = [
  'check_failed',
  'group_failed',
  'check_pending',
  'stale',
  'at_capacity',
];

/** An evaluation that is so late is held up in this process, and with it every result that has expired meanwhile. */
export const LOCAL_STALE_MS = 3 * DEFAULTS.evaluateMs;

/**
 * Whether a reason to leave rotation may hit every replica at once: a dependency, or load. Everything else is this
 * instance's own, and needs no permit (R10).
 */
export function isShared(of: Reason, { onDemand, snapshotAgeMs }: SharedContext): boolean {
  if (!SHARED.includes(reasonCode(of))) return false;
  if (reasonCode(of) !== 'stale') return true;
  // The snapshot as a whole is this process; and a result nobody asked for has every right to be old.
  return of !== 'stale' && !onDemand && snapshotAgeMs < LOCAL_STALE_MS;
}

/** What of a decision may hit every replica at once, whether this instance is held for it or not. */
export function sharedReasons(
  { reasons, heldFor }: Pick<Decision, 'reasons' | 'heldFor'>,
  { onDemand }: Pick<SharedContext, 'onDemand'>,
  snapshotAgeMs: number,
): readonly Reason[] {
  return heldFor ?? reasons.filter((each) => isShared(each, { onDemand, snapshotAgeMs }));
}

/** What is reported in place of reasons that this instance may not leave for: the name of each, under one code. */
export function heldReasons(reasons: readonly Reason[]): readonly Reason[] {
  const names = reasons.map((each) => each.slice(each.indexOf(':') + 1));
  return [...new Set(names)].map((name) => reason('held_by_floor', name));
}
