import type { CheckStatus, Impact, JsonValue, Status } from './check.js';
import type { DrainStepName } from './drain-plan.js';
import type { LeaseView } from './lease-host.js';
import type { Phase } from './phase.js';
import type { StallCause } from './probe-host.js';

/** Grows when a field of {@link Diagnosis} is removed or changes its meaning; a new field does not change it. */
export const DIAGNOSIS_SCHEMA = 1;

/**
 * What `/healthz/status` tells people and dashboards beside health+json, under the key `diagnosis` (E4). Plain JSON.
 * Times of day are ISO 8601 in UTC, durations are milliseconds.
 */
export interface Diagnosis {
  readonly schema: typeof DIAGNOSIS_SCHEMA;
  /** When the document was made. */
  readonly at: string;
  readonly phase: Phase;
  /** Time since the process started. */
  readonly uptimeMs: number;
  readonly instance: InstanceInfo;
  readonly probes: Readonly<Record<'startup' | 'liveness' | 'readiness', ProbeDiagnosis>>;
  readonly checks: readonly CheckDiagnosis[];
  /** Newest first; at most the last 200. */
  readonly timeline: readonly TimelineEntry[];
  readonly process: ProcessDiagnosis;
  readonly leases: readonly LeaseView[];
  /** Present from the beginning of the drain. */
  readonly drain?: DrainDiagnosis;
  /** The last time the main loop stood still for longer than allowed. */
  readonly stall?: StallDiagnosis;
  readonly findings: readonly string[];
}

export interface InstanceInfo {
  readonly pid: number;
  readonly host: string;
  readonly nodeVersion: string;
  readonly haleVersion?: string;
  readonly version?: string;
  readonly releaseId?: string;
}

/** One probe, and why it says what it says. */
export interface ProbeDiagnosis {
  readonly status: Status;
  readonly httpStatus: number;
  readonly reason: string;
  /** Since when; absent while it never changed. */
  readonly since?: string;
  /** From the probe down to the error: reason ← verdict ← last outcomes ← error. One chain for each of the first 200 reasons. */
  readonly why: readonly (readonly WhyStep[])[];
  /** How many reasons are not explained; absent where all are. */
  readonly moreReasons?: number;
}

/** One link of a chain; each is explained by the next. */
export interface WhyStep {
  readonly kind: 'reason' | 'verdict' | 'outcome' | 'error' | 'fact';
  readonly text: string;
  readonly status?: CheckStatus;
  readonly at?: string;
}

export interface CheckDiagnosis {
  readonly name: string;
  readonly impact: Impact;
  /** The verdict now; `unknown` when it never ran or has expired. */
  readonly verdict: CheckStatus;
  /** Since when; absent while it never changed. */
  readonly since?: string;
  readonly code?: string;
  readonly output?: string;
  readonly observedValue?: JsonValue;
  readonly observedUnit?: string;
  readonly lastDurationMs?: number;
  /** Time since the last run ended. */
  readonly ageMs?: number;
  /** How far the verdict is from changing; absent where runs are too few to tell. */
  readonly threshold?: ThresholdProgress;
  readonly runs: number;
  readonly abandoned: number;
  readonly hanging: number;
  readonly transitions: number;
  /** The last runs, oldest first; at most 60. */
  readonly recent: readonly RecentRun[];
  /** The last 24 hours in steps, oldest first; fewer of very many checks. Steps without a run are left out. */
  readonly history: readonly HistoryStep[];
}

/** `count` of `needed` consecutive outcomes that would turn the verdict to `to`. */
export interface ThresholdProgress {
  readonly to: 'pass' | 'fail';
  readonly count: number;
  readonly needed: number;
}

export interface RecentRun {
  readonly at: string;
  readonly durationMs: number;
  readonly status: Status;
}

/** What happened within one step of the history. */
export interface HistoryStep {
  /** The beginning of the step. */
  readonly at: string;
  readonly stepMs: number;
  readonly runs: number;
  readonly failed: number;
  readonly warned: number;
  readonly meanMs: number;
  readonly maxMs: number;
}

export interface TimelineEntry {
  readonly at: string;
  readonly kind: 'check' | 'probe' | 'phase' | 'lease' | 'stall';
  /** What changed: the name of the check, probe or lease. */
  readonly name: string;
  readonly from?: string;
  readonly to: string;
  /** How long `from` had lasted. */
  readonly lastedMs?: number;
  /** The reason or the error, redacted. */
  readonly text?: string;
}

/** The process. What only the main loop knows is `main`, with its age: it stands still while the loop does. */
export interface ProcessDiagnosis {
  readonly rssBytes: number;
  /** The limit of the container or machine. */
  readonly memoryLimitBytes?: number;
  /** Time since the main loop last turned; absent where nobody watches it. */
  readonly loopBeatAgeMs?: number;
  readonly loopStalled: boolean;
  readonly inFlight: number;
  readonly snapshotAgeMs?: number;
  readonly main?: MainThreadReadings;
  /** Oldest first; at most 120, about one a second while somebody looks. */
  readonly series: readonly ProcessSample[];
}

export interface MainThreadReadings {
  readonly ageMs: number;
  readonly heapUsedBytes: number;
  readonly heapLimitBytes: number;
  readonly externalBytes: number;
  /** Share of time the loop was busy since the reading before, from 0 to 1. */
  readonly utilisation: number;
  readonly gc: GcReadings;
}

/** Since somebody looks. */
export interface GcReadings {
  readonly pauses: number;
  readonly totalMs: number;
  readonly longestMs: number;
}

export interface ProcessSample {
  readonly at: string;
  readonly rssBytes: number;
  readonly inFlight: number;
  /** The latest beat of the main loop since the sample before came so much late. */
  readonly loopDelayMs: number;
  readonly heapUsedBytes?: number;
  readonly utilisation?: number;
}

export interface DrainDiagnosis {
  readonly reason: string;
  readonly since: string;
  /** Time left until the process ends whatever is open. */
  readonly leftMs: number;
  readonly steps: readonly DrainStepDiagnosis[];
  /** What the drain waits for now. */
  readonly open: readonly string[];
}

export interface DrainStepDiagnosis {
  readonly step: DrainStepName;
  readonly state: 'waiting' | 'running' | 'done' | 'cut' | 'failed';
  readonly durationMs?: number;
}

export interface StallDiagnosis {
  readonly at: string;
  readonly blockedForMs: number;
  /** Whether the loop still stands. */
  readonly ongoing: boolean;
  readonly cause: StallCause;
}
