import type { AnswerCounts } from './answering-figures.js';
import type { CheckStatus, Impact, JsonValue, Status } from './check.js';
import type { DrainStepName } from './drain-plan.js';
import type { ExitPermitCounts, ExitPermitState } from './exit-permit.js';
import type { Group } from './group.js';
import type { HistogramView } from './histogram.js';
import type { LeaseView } from './lease-host.js';
import type { Streak } from './verdict.js';

/**
 * Everything the probe side needs to answer, as plain data that crosses the thread boundary. What must be seen
 * while a message is under way (phase, beats, evaluation time, in-flight) is on the board instead.
 */
export interface ProbeState {
  readonly service: ServiceInfo;
  /** Wall-clock time at which the process began, as far as hale saw. */
  readonly startedAt?: number;
  readonly startup: StartupView;
  readonly gates: Gates;
  /** Names of guards that have failed for long enough to count. */
  readonly failingGuards: readonly string[];
  readonly progress: readonly ProgressView[];
  readonly groups: readonly Group[];
  readonly checks: ReadonlyMap<string, CheckView>;
  readonly findings: readonly string[];
  /** Whether any check runs on demand, so that a readiness probe must ask for an evaluation first. */
  readonly onDemand: boolean;
  /** Steps of the drain that have ended. */
  readonly drainSteps?: readonly DrainStepView[];
  /** Present from the beginning of the drain. */
  readonly drain?: DrainView;
  readonly leases?: readonly LeaseView[];
  /** What became of the permits to leave rotation; absent where nobody hands them out. */
  readonly exitPermits?: ExitPermitCounts;
  /** Probes that the main thread has answered itself, on a port of the application. */
  readonly mounted?: AnswerCounts;
}

/** How long a step of the drain took, in seconds. */
export interface DrainStepView {
  readonly step: DrainStepName;
  readonly durations: HistogramView;
}

/** How far the drain has come, in texts that are redacted. */
export interface DrainView {
  readonly reason: string;
  /** Wall-clock time of its beginning. */
  readonly since: number;
  /** Monotonic time at which whatever is open is ended. */
  readonly deadlineAt: number;
  readonly steps: readonly DrainStepState[];
  /** What it waits for now. */
  readonly open: readonly string[];
}

/** One step of a drain that is under way or over. */
export interface DrainStepState {
  readonly step: DrainStepName;
  readonly state: 'waiting' | 'running' | 'done' | 'cut' | 'failed';
  readonly durationMs?: number;
}

export interface ServiceInfo {
  readonly version?: string;
  readonly releaseId?: string;
  readonly serviceId?: string;
  readonly description?: string;
}

/** Conditions other than checks that can fail a probe. */
export interface Gates {
  /** The text given to `fatal()`; its presence fails liveness and readiness for good. */
  readonly fatal?: string;
  readonly leaseLost: boolean;
  readonly maintenance: boolean;
  readonly atCapacity: boolean;
  /** Whether this instance may be out of rotation for a shared reason. @defaultValue 'not_needed' */
  readonly exitPermit?: ExitPermitState;
}

export interface StartupView {
  readonly complete: boolean;
  /** The budget was spent before start-up was complete. */
  readonly timedOut: boolean;
  readonly total: number;
  readonly remaining: readonly string[];
  /** How far start-up is, by the weights and progress of its tasks; 100 once complete. */
  readonly percent?: number;
  readonly durationMs?: number;
}

export interface ProgressView {
  readonly slot: number;
  readonly name: string;
  readonly stallAfterMs: number;
}

/** One check as the probes and the diagnostic endpoint see it. */
export interface CheckView {
  readonly name: string;
  readonly impact: Impact;
  /** The verdict after thresholds; whether it is still fresh is for the reader to decide. */
  readonly verdict: CheckStatus;
  /** Monotonic time after which the verdict reads as `unknown`; absent while the check has never run. */
  readonly freshUntil?: number;
  readonly component: ComponentInfo;
  readonly last?: LastOutcome;
  /** Monotonic time of the end of the last run; absent while the check has never run. */
  readonly ranAt?: number;
  /** The number the last run saw, for metrics; absent while no run ever saw one. */
  readonly measured?: Measured;
  /** Durations of all runs in seconds, between the bounds of the metric. */
  readonly durations?: HistogramView;
  readonly runs: number;
  readonly abandoned: number;
  readonly hanging: number;
  readonly transitions: number;
  /** Wall-clock time of the last change of verdict. */
  readonly changedAt?: number;
  /** How far the verdict is from changing; absent while the next run decides. */
  readonly streak?: Streak;
}

/** A number in the one unit that a check's series has for good, so that units are a bounded label. */
export interface Measured {
  readonly unit: string;
  /** Absent when the last run saw no number, or one in another unit. */
  readonly value?: number;
}

export interface ComponentInfo {
  readonly componentType: string;
  readonly componentId?: string;
  readonly measurement?: string;
  readonly affectedEndpoints?: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
}

export interface LastOutcome {
  readonly status: Status;
  readonly code?: string;
  readonly observedValue?: JsonValue;
  readonly observedUnit?: string;
  readonly output?: string;
  /** Wall-clock time of the end of the run. */
  readonly wallAt: number;
  readonly durationMs: number;
}

/** A change of {@link ProbeState}; what is absent stays as it was. */
export interface ProbeUpdate {
  readonly state?: Partial<Omit<ProbeState, 'checks'>>;
  readonly checks?: readonly CheckView[];
  readonly removedChecks?: readonly string[];
}

/** The state before the first update: starting, nothing known. */
export const initialProbeState: ProbeState = {
  service: {},
  startup: { complete: false, timedOut: false, total: 0, remaining: [] },
  gates: { leaseLost: false, maintenance: false, atCapacity: false },
  failingGuards: [],
  progress: [],
  groups: [],
  checks: new Map(),
  findings: [],
  onDemand: false,
};

/** The state after an update; neither argument is changed. */
export function applyUpdate(current: ProbeState, update: ProbeUpdate): ProbeState {
  if (update.checks === undefined && update.removedChecks === undefined)
    return { ...current, ...update.state };
  const checks = new Map(current.checks);
  for (const name of update.removedChecks ?? []) checks.delete(name);
  for (const view of update.checks ?? []) checks.set(view.name, view);
  return { ...current, ...update.state, checks };
}
