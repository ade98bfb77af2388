import type { CheckStatus, Status } from './check.js';

/**
 * A check's verdict: what its outcomes add up to once thresholds have had their say. Whether the verdict is
 * still fresh is decided by its reader, so that expiry never erases the thresholds' memory.
 */
export type Verdict = { readonly kind: 'unknown' } | SoundVerdict | FailedVerdict;

interface SoundVerdict {
  readonly kind: 'sound';
  readonly status: 'pass' | 'warn';
  /** Consecutive failures so far. */
  readonly failures: number;
  readonly failedAt: readonly number[];
}

interface FailedVerdict {
  readonly kind: 'failed';
  /** Consecutive successes so far. */
  readonly successes: number;
  /** Whether the check has ever been sound: the very first success admits at once. */
  readonly wasSound: boolean;
  readonly failedAt: readonly number[];
}

export interface VerdictPolicy {
  readonly failureThreshold: number;
  readonly successThreshold: number;
  /** Falls within this time count as flapping. */
  readonly flapWindowMs: number;
}

interface RatedOutcome {
  readonly status: Status;
  readonly at: number;
}

/** Falls remembered for flap damping; each doubles the successes asked for, up to sixteen times. */
const REMEMBERED_FALLS = 5;

export const unknownVerdict: Verdict = { kind: 'unknown' };

/**
 * The verdict after one more outcome (R5). From `unknown` the first outcome settles it either way: there is no
 * earlier verdict to protect, and not ready with a reason beats not ready without one.
 */
export function nextVerdict(
  verdict: Verdict,
  outcome: RatedOutcome,
  policy: VerdictPolicy,
): Verdict {
  if (verdict.kind === 'failed') return afterFailed(verdict, outcome, policy);
  if (outcome.status !== 'fail') {
    const failedAt = verdict.kind === 'sound' ? verdict.failedAt : [];
    return { kind: 'sound', status: outcome.status, failures: 0, failedAt };
  }
  if (verdict.kind === 'unknown')
    return { kind: 'failed', successes: 0, wasSound: false, failedAt: [] };
  const failures = verdict.failures + 1;
  if (failures < policy.failureThreshold) return { ...verdict, failures };
  const failedAt = [...verdict.failedAt, outcome.at].slice(-REMEMBERED_FALLS);
  return { kind: 'failed', successes: 0, wasSound: true, failedAt };
}

function afterFailed(
  verdict: FailedVerdict,
  { status, at }: RatedOutcome,
  policy: VerdictPolicy,
): Verdict {
  if (status === 'fail') return { ...verdict, successes: 0 };
  const successes = verdict.successes + 1;
  if (successes < successesNeeded(verdict, at, policy)) return { ...verdict, successes };
  return { kind: 'sound', status, failures: 0, failedAt: verdict.failedAt };
}

/**
 * Consecutive successes a failed check needs to recover. Each further fall within the flap window doubles it: a
 * dependency that keeps oscillating stays out until it holds, while a failure is never reported any later for it.
 */
export function successesNeeded(verdict: FailedVerdict, at: number, policy: VerdictPolicy): number {
  if (!verdict.wasSound) return 1;
  const recent = verdict.failedAt.filter((fell) => at - fell < policy.flapWindowMs).length;
  return policy.successThreshold * 2 ** Math.max(0, recent - 1);
}

/** Whether the last outcome agrees with the verdict, so that no quick re-check is needed. */
export function isSettled(verdict: Verdict): boolean {
  switch (verdict.kind) {
    case 'unknown':
      return false;
    case 'sound':
      return verdict.failures === 0;
    case 'failed':
      return verdict.successes === 0;
  }
}

/** The status a verdict stands for. */
export function verdictStatus(verdict: Verdict): CheckStatus {
  switch (verdict.kind) {
    case 'unknown':
      return 'unknown';
    case 'sound':
      return verdict.status;
    case 'failed':
      return 'fail';
  }
}

/** `count` of `needed` consecutive outcomes that would turn the verdict to `to`. */
export interface Streak {
  readonly to: 'pass' | 'fail';
  readonly count: number;
  readonly needed: number;
}

/** How far a verdict is from changing at `at`; undefined while the next outcome decides, whatever it is. */
export function streakOf(verdict: Verdict, at: number, policy: VerdictPolicy): Streak | undefined {
  switch (verdict.kind) {
    case 'unknown':
      return undefined;
    case 'sound':
      return { to: 'fail', count: verdict.failures, needed: policy.failureThreshold };
    case 'failed':
      return {
        to: 'pass',
        count: verdict.successes,
        needed: successesNeeded(verdict, at, policy),
      };
  }
}
