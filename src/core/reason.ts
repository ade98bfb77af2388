/**
 * Every code a probe can give, in order of precedence: of several that hold, the first is reported.
 * Codes are stable; dashboards and alerts match on them.
 */
export const REASON_CODES = [
  'stopped',
  'draining',
  'event_loop_stalled',
  'fatal',
  'guard_failed',
  'progress_stalled',
  'startup_timeout',
  'starting',
  'lease_lost',
  'maintenance',
  'stale',
  'check_failed',
  'group_failed',
  'check_pending',
  'at_capacity',
  'held_by_floor',
  'check_degraded',
  'group_degraded',
  'ok',
] as const;

export type ReasonCode = (typeof REASON_CODES)[number];

/** A code, optionally with the name it is about: `draining`, `check_failed:database`. */
export type Reason = ReasonCode | `${ReasonCode}:${string}`;

/** Builds a reason. */
export function reason(code: ReasonCode, name?: string): Reason {
  return name === undefined ? code : `${code}:${name}`;
}

/** The code of a reason, without its name: a bounded label for metrics. */
export function reasonCode(of: Reason): ReasonCode {
  const colon = of.indexOf(':');
  return (colon === -1 ? of : of.slice(0, colon)) as ReasonCode;
}

/** Sorts reasons by precedence; among equal codes the order of registration stays. */
export function byPrecedence(reasons: readonly Reason[]): readonly Reason[] {
  return reasons.toSorted((a, b) => rank(a) - rank(b));
}

function rank(of: Reason): number {
  return REASON_CODES.indexOf(reasonCode(of));
}
