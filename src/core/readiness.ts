import type { CheckStatus } from './check.js';
import { type Decision, decide } from './decision.js';
import { mayBeOut } from './exit-permit.js';
import { type Group, groupStatus } from './group.js';
import type { Phase } from './phase.js';
import type { CheckView, Gates, ProbeState, StartupView } from './probe-state.js';
import { type Reason, byPrecedence, reason } from './reason.js';
import { LOCAL_STALE_MS, heldReasons, isShared } from './shared-reasons.js';

/** What readiness is decided from: the published state and what the board says at this moment. */
export interface ReadinessInput {
  readonly state: ProbeState;
  readonly phase: Phase;
  readonly now: number;
  /** Monotonic time of the engine's last evaluation. */
  readonly evaluatedAt: number;
  readonly staleAfterMs: number;
  /** Checks and groups to leave out, for `?exclude=`; a group's members are left out with the group only. */
  readonly exclude?: ReadonlySet<string>;
}

/** Decides whether this instance should get new traffic now (R1, R3, R4, R6, R7, R10). */
export function decideReadiness(input: ReadinessInput): Decision {
  const { state, phase, now, evaluatedAt, staleAfterMs } = input;
  const staleAt = evaluatedAt + staleAfterMs;
  const failures: Reason[] = gateReasons(phase, state.startup, state.gates);
  if (now >= staleAt) failures.push('stale');
  const warnings: Reason[] = [];
  judgeChecks(input, failures, warnings);
  judgeGroups(input, failures, warnings);
  const validUntil = Math.min(staleAt > now ? staleAt : Infinity, nextExpiry(state, now));
  if (mustStay(input, failures)) return hold(input, failures, warnings, validUntil);
  return decide(failures, warnings, validUntil);
}

/** Whether nothing but what may hit every replica speaks against this instance, and it has no permit to leave (R10). */
function mustStay(
  { state, now, evaluatedAt }: ReadinessInput,
  failures: readonly Reason[],
): boolean {
  const { exitPermit = 'not_needed' } = state.gates;
  if (failures.length === 0 || mayBeOut(exitPermit)) return false;
  const context = { onDemand: state.onDemand, snapshotAgeMs: now - evaluatedAt };
  return failures.every((each) => isShared(each, context));
}

function hold(
  { evaluatedAt }: ReadinessInput,
  failures: readonly Reason[],
  warnings: readonly Reason[],
  validUntil: number,
): Decision {
  const stale = failures.some((each) => each.startsWith('stale:'));
  const until = stale ? Math.min(validUntil, evaluatedAt + LOCAL_STALE_MS) : validUntil;
  const held = decide([], [...heldReasons(failures), ...warnings], until);
  return { ...held, heldFor: byPrecedence(failures) };
}

/** The status of a check's verdict at `now`: an expired verdict is `unknown`, whatever it said (R3). */
export function freshStatus(view: CheckView, now: number): CheckStatus {
  return view.freshUntil !== undefined && now < view.freshUntil ? view.verdict : 'unknown';
}

/** {@link freshStatus} by name; a check that is not there is `unknown`. */
export function statusByName(state: ProbeState, now: number): (name: string) => CheckStatus {
  return (name) => {
    const view = state.checks.get(name);
    return view === undefined ? 'unknown' : freshStatus(view, now);
  };
}

function gateReasons(phase: Phase, startup: StartupView, gates: Gates): Reason[] {
  const reasons: Reason[] = [];
  if (phase === 'stopped') reasons.push('stopped');
  if (phase === 'draining') reasons.push('draining');
  if (gates.fatal !== undefined) reasons.push('fatal');
  if (gates.leaseLost) reasons.push('lease_lost');
  if (!startup.complete) reasons.push(startup.timedOut ? 'startup_timeout' : 'starting');
  if (gates.maintenance) reasons.push('maintenance');
  if (gates.atCapacity) reasons.push('at_capacity');
  return reasons;
}

function judgeChecks(
  { state, now, exclude }: ReadinessInput,
  failures: Reason[],
  warnings: Reason[],
): void {
  const grouped = new Set(state.groups.flatMap((group) => group.members.map(({ check }) => check)));
  for (const view of state.checks.values()) {
    if (view.impact === 'optional' || grouped.has(view.name) || exclude?.has(view.name)) continue;
    const status = freshStatus(view, now);
    if (status === 'pass') continue;
    if (view.impact === 'degraded' || status === 'warn')
      warnings.push(reason('check_degraded', view.name));
    else failures.push(failureReason(view.name, view, status));
  }
}

function failureReason(name: string, view: CheckView | undefined, status: CheckStatus): Reason {
  if (status === 'fail') return reason('check_failed', name);
  return view?.freshUntil === undefined ? reason('check_pending', name) : reason('stale', name);
}

function judgeGroups(
  { state, now, exclude }: ReadinessInput,
  failures: Reason[],
  warnings: Reason[],
): void {
  const statusOf = statusByName(state, now);
  for (const group of state.groups) {
    if (group.impact === 'optional' || exclude?.has(group.name)) continue;
    const status = groupStatus(group, statusOf);
    if (status === 'pass') continue;
    if (group.impact === 'degraded' || status === 'warn')
      warnings.push(reason('group_degraded', group.name));
    else if (status === 'fail') failures.push(reason('group_failed', group.name));
    else failures.push(...unknownMembers(group, state, statusOf));
  }
}

/** A group that may yet pass has not failed: its reasons are the members it waits for. */
function unknownMembers(
  { members }: Group,
  { checks }: ProbeState,
  statusOf: (check: string) => CheckStatus,
): Reason[] {
  return members
    .filter(({ check }) => statusOf(check) === 'unknown')
    .map(({ check }) => failureReason(check, checks.get(check), 'unknown'));
}

function nextExpiry(state: ProbeState, now: number): number {
  let next = Infinity;
  for (const { freshUntil } of state.checks.values()) {
    if (freshUntil !== undefined && freshUntil > now && freshUntil < next) next = freshUntil;
  }
  return next;
}
