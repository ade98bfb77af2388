/** The steps of a drain, in order (D1). */
export const DRAIN_STEPS = [
  'propagation',
  'stop_accepting',
  'in_flight',
  'consumers',
  'closers',
  'lease_release',
] as const;

export type DrainStepName = (typeof DRAIN_STEPS)[number];

/** When each part of a drain must have ended, in monotonic milliseconds. */
export interface DrainPlan {
  readonly startedAt: number;
  /** Servers go on serving until then. */
  readonly propagationEndsAt: number;
  /** Requests and jobs in flight are cut then, so that closers still get their share of the time. */
  readonly inFlightEndsAt: number;
  /** Everything is cut then (D2). */
  readonly deadlineAt: number;
}

export interface DrainPlanInput {
  readonly startedAt: number;
  readonly propagationDelayMs: number;
  readonly deadlineMs: number;
  /** Whether anything is left to do after the work in flight. */
  readonly hasHooks: boolean;
}

const LONGEST_RESERVE_MS = 5000;
const RESERVE_SHARE = 0.2;

/**
 * Divides the time of one deadline among the steps. A delay that would leave less than half of it is cut to half:
 * at this point there is nobody left to tell, and the work in flight needs its time.
 */
export function planDrain(input: DrainPlanInput): DrainPlan {
  const { startedAt, deadlineMs, hasHooks } = input;
  const delayMs = Math.min(input.propagationDelayMs, deadlineMs / 2);
  const afterDelayMs = deadlineMs - delayMs;
  const reserveMs = hasHooks ? Math.min(LONGEST_RESERVE_MS, afterDelayMs * RESERVE_SHARE) : 0;
  const deadlineAt = startedAt + deadlineMs;
  return {
    startedAt,
    propagationEndsAt: startedAt + delayMs,
    inFlightEndsAt: deadlineAt - reserveMs,
    deadlineAt,
  };
}

/**
 * The plan once the process has crashed while draining: serve no longer, and end by the earlier
 * deadline (D5).
 */
export function hurryPlan(plan: DrainPlan, now: number, crashDeadlineMs: number): DrainPlan {
  const deadlineAt = Math.min(plan.deadlineAt, now + crashDeadlineMs);
  const hasReserve = plan.inFlightEndsAt < plan.deadlineAt;
  const reserveMs = hasReserve ? RESERVE_SHARE * Math.max(0, deadlineAt - now) : 0;
  return {
    startedAt: plan.startedAt,
    propagationEndsAt: Math.min(plan.propagationEndsAt, now),
    inFlightEndsAt: Math.min(plan.inFlightEndsAt, deadlineAt - reserveMs),
    deadlineAt,
  };
}

/** When a step must have ended. */
export function stepEndsAt(plan: DrainPlan, step: DrainStepName): number {
  if (step === 'propagation') return plan.propagationEndsAt;
  return step === 'in_flight' || step === 'stop_accepting' ? plan.inFlightEndsAt : plan.deadlineAt;
}

/** What is closed one after the other, and what side by side. */
interface Ordered {
  /** Needs nothing that its neighbours hold: closed together with neighbours that say the same. */
  readonly independent: boolean;
}

/** The order of closing: the reverse of registration, neighbouring independent ones as one batch. */
export function closingBatches<T extends Ordered>(
  registered: readonly T[],
): readonly (readonly T[])[] {
  const batches: T[][] = [];
  for (const closer of registered.toReversed()) {
    const batch = batches.at(-1);
    if (closer.independent && batch?.[0]?.independent === true) batch.push(closer);
    else batches.push([closer]);
  }
  return batches;
}

/** How a step ended. */
export interface StepReport {
  readonly step: DrainStepName;
  /** `cut`: its time was up first; `failed`: something in it threw. */
  readonly ended: 'done' | 'cut' | 'failed';
  readonly durationMs: number;
  /** What was still open when it was cut, or what failed. */
  readonly open: readonly string[];
}

/** The exit code of a drain: 0 when all ended by itself and nothing had crashed, otherwise 1 (D6). */
export function drainExitCode(
  steps: readonly Pick<StepReport, 'ended'>[],
  crashed: boolean,
): 0 | 1 {
  return !crashed && steps.every(({ ended }) => ended === 'done') ? 0 : 1;
}
