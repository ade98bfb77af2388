import type { Group } from '../../src/core/group.js';
import { type CheckView, type ProbeState, initialProbeState } from '../../src/core/probe-state.js';

/** A passing critical check that is fresh until 1000. */
export function checkView(name: string, change: Partial<CheckView> = {}): CheckView {
  return {
    name,
    impact: 'critical',
    verdict: 'pass',
    freshUntil: 1000,
    component: { componentType: 'component' },
    runs: 1,
    abandoned: 0,
    hanging: 0,
    transitions: 0,
    ...change,
  };
}

/** A check that has never run. */
export function pendingCheckView(name: string, change: Partial<CheckView> = {}): CheckView {
  const { freshUntil: _, ...view } = checkView(name, { verdict: 'unknown', ...change });
  return view;
}

/** The state of a started service with these checks. */
export function startedState(
  checks: readonly CheckView[] = [],
  change: Partial<ProbeState> = {},
): ProbeState {
  return {
    ...initialProbeState,
    startup: { complete: true, timedOut: false, total: 0, remaining: [] },
    checks: new Map(checks.map((view) => [view.name, view])),
    ...change,
  };
}

/** A group of checks of equal weight. */
export function groupOf(
  name: string,
  members: readonly string[],
  change: Partial<Group> = {},
): Group {
  return {
    name,
    impact: 'critical',
    members: members.map((check) => ({ check, weight: 1 })),
    quorum: 1,
    ...change,
  };
}
