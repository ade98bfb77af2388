import type { Impact, CheckStatus } from '../core/check.js';
import type { Decision } from '../core/decision.js';
import { groupStatus } from '../core/group.js';
import type { CheckView, ProbeState } from '../core/probe-state.js';
import { freshStatus, statusByName } from '../core/readiness.js';
import type { ProbeKind } from './probe-kind.js';

interface CheckSummary {
  readonly status: CheckStatus;
  readonly impact: Impact;
  readonly code?: string;
  readonly output?: string;
}

/** The verbose body of a probe: every reason, and what each is about. Only where details are allowed (E3). */
export function verboseBody(
  kind: ProbeKind,
  decision: Decision,
  state: ProbeState,
  now: number,
  exclude: ReadonlySet<string> = new Set(),
): string {
  const { status, reason, reasons } = decision;
  return JSON.stringify({ status, reason, reasons, ...detailsOf(kind, state, now, exclude) });
}

/** The body of one check's own path. */
export function checkBody(view: CheckView, now: number): string {
  return JSON.stringify({ name: view.name, ...summary(view, now) });
}

function detailsOf(
  kind: ProbeKind,
  state: ProbeState,
  now: number,
  exclude: ReadonlySet<string>,
): Record<string, unknown> {
  if (kind === 'startup') {
    const { total, remaining, percent, durationMs } = state.startup;
    return { remaining: remaining.length, total, percent, remainingTasks: remaining, durationMs };
  }
  if (kind === 'liveness') {
    return { failingGuards: state.failingGuards, progress: state.progress.map(({ name }) => name) };
  }
  return {
    checks: summaries(state, now),
    ...(state.groups.length === 0 ? {} : { groups: groupSummaries(state, now) }),
    ...exclusion(state, exclude),
  };
}

function summaries(state: ProbeState, now: number): Record<string, CheckSummary> {
  return Object.fromEntries([...state.checks].map(([name, view]) => [name, summary(view, now)]));
}

function summary(view: CheckView, now: number): CheckSummary {
  const status = freshStatus(view, now);
  const { code, output } = view.last ?? {};
  return {
    status,
    impact: view.impact,
    ...(code === undefined ? {} : { code }),
    ...(output === undefined || status === 'pass' ? {} : { output }),
  };
}

function groupSummaries(state: ProbeState, now: number): Record<string, CheckSummary> {
  const statusOf = statusByName(state, now);
  return Object.fromEntries(
    state.groups.map((group) => [
      group.name,
      { status: groupStatus(group, statusOf), impact: group.impact },
    ]),
  );
}

function exclusion(state: ProbeState, exclude: ReadonlySet<string>): Record<string, unknown> {
  if (exclude.size === 0) return {};
  const known = (name: string): boolean =>
    state.checks.has(name) || state.groups.some((group) => group.name === name);
  const names = [...exclude];
  return {
    excluded: names.filter(known),
    // Reported, because a misspelt exclusion silently excludes nothing.
    unknownExcludes: names.filter((name) => !known(name)),
  };
}
