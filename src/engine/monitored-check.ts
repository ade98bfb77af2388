import type { CheckStatus, Impact } from '../core/check.js';
import type { Clock } from '../core/clock.js';
import { DEFAULTS } from '../core/defaults.js';
import { type Histogram, createHistogram } from '../core/histogram.js';
import { nextMeasured } from '../core/measured.js';
import { METRICS } from '../core/metric-definitions.js';
import type { Outcome } from '../core/outcome.js';
import type { CheckView, LastOutcome, Measured } from '../core/probe-state.js';
import type { ResolvedCheck } from '../core/resolve-check.js';
import { expiresAfterMs } from '../core/schedule.js';
import {
  type Verdict,
  isSettled,
  nextVerdict,
  type VerdictPolicy,
  streakOf,
  unknownVerdict,
  verdictStatus,
} from '../core/verdict.js';
import { createCheckRunner } from './check-runner.js';

/** A change of a check's verdict. */
export interface CheckTransition {
  readonly check: string;
  readonly impact: Impact;
  readonly from: CheckStatus;
  readonly to: CheckStatus;
  /** Wall-clock time of the change. */
  readonly at: number;
  /** How long the verdict before had stood. */
  readonly lastedMs: number;
  /** The outcome that brought it about. */
  readonly outcome: Outcome;
}

export interface MonitoredCheckOptions {
  readonly check: ResolvedCheck;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  /** What a listener of a run's signal throws. */
  readonly onAbortError?: (error: unknown) => void;
}

/** A check with its memory: what its runs have added up to so far. */
export interface MonitoredCheck {
  readonly settled: boolean;
  /** Runs once and takes the outcome into the verdict; returns the transition, if it made one. Never rejects. */
  perform(): Promise<Performance>;
  view(): CheckView;
  /** Aborts a run under way, whose outcome is then dropped. */
  dispose(): void;
}

export interface Performance {
  readonly outcome: Outcome;
  readonly transition?: CheckTransition;
}

interface Memory {
  verdict: Verdict;
  last: Outcome | undefined;
  measured: Measured | undefined;
  runs: number;
  transitions: number;
  changedAt: number | undefined;
  since: number;
  readonly durations: Histogram;
}

/** Puts a check under observation; nothing runs before `perform()`. */
export function createMonitoredCheck(options: MonitoredCheckOptions): MonitoredCheck {
  const { check, clock, redact, onAbortError } = options;
  const runner = createCheckRunner({
    name: check.name,
    run: check.run,
    timeoutMs: check.timeoutMs,
    clock,
    redact,
    ...(onAbortError === undefined ? {} : { onAbortError }),
  });
  const memory: Memory = {
    verdict: unknownVerdict,
    last: undefined,
    measured: undefined,
    runs: 0,
    transitions: 0,
    changedAt: undefined,
    since: clock.now(),
    durations: createHistogram(METRICS.checkDuration.buckets),
  };
  return {
    get settled() {
      return isSettled(memory.verdict);
    },
    async perform() {
      return remember(check, memory, await runner.run());
    },
    view: () => ({
      ...viewOf(check, memory),
      abandoned: runner.abandoned,
      hanging: runner.hanging,
    }),
    dispose: () => runner.dispose(),
  };
}

function remember(check: ResolvedCheck, memory: Memory, outcome: Outcome): Performance {
  const from = verdictStatus(memory.verdict);
  memory.verdict = nextVerdict(memory.verdict, outcome, policyOf(check));
  memory.last = outcome;
  memory.measured = nextMeasured(memory.measured, outcome);
  memory.runs += 1;
  memory.durations.record(outcome.durationMs / 1000);
  const to = verdictStatus(memory.verdict);
  if (from === to) return { outcome };
  const lastedMs = outcome.at - memory.since;
  memory.since = outcome.at;
  memory.changedAt = outcome.wallAt;
  memory.transitions += 1;
  const { name, impact } = check;
  return {
    outcome,
    transition: { check: name, impact, from, to, at: outcome.wallAt, lastedMs, outcome },
  };
}

function policyOf({ failureThreshold, successThreshold }: ResolvedCheck): VerdictPolicy {
  return { failureThreshold, successThreshold, flapWindowMs: DEFAULTS.flapWindowMs };
}

function viewOf(check: ResolvedCheck, memory: Memory): Omit<CheckView, 'abandoned' | 'hanging'> {
  const { last, changedAt, measured } = memory;
  return {
    name: check.name,
    impact: check.impact,
    component: check.component,
    verdict: verdictStatus(memory.verdict),
    runs: memory.runs,
    transitions: memory.transitions,
    ...(last === undefined ? {} : ranOf(check, memory, last)),
    ...(changedAt === undefined ? {} : { changedAt }),
    ...(measured === undefined ? {} : { measured }),
  };
}

function ranOf(
  check: ResolvedCheck,
  { durations, verdict }: Memory,
  last: Outcome,
): Pick<CheckView, 'last' | 'ranAt' | 'freshUntil' | 'durations' | 'streak'> {
  const streak = streakOf(verdict, last.at, policyOf(check));
  return {
    ...(streak === undefined ? {} : { streak }),
    last: lastOf(last),
    ranAt: last.at,
    freshUntil: last.at + lifetimeMs(check),
    durations: durations.view(),
  };
}

/** How long a result counts (R3); an on-demand one is renewed at the pace of its TTL, not of an interval. */
function lifetimeMs({ mode, ttlMs, intervalMs, timeoutMs }: ResolvedCheck): number {
  return expiresAfterMs(mode === 'on-demand' ? ttlMs : intervalMs, timeoutMs);
}

/** Without the monotonic time, which means nothing to a reader. */
function lastOf({ at: _at, ...seen }: Outcome): LastOutcome {
  return seen;
}
