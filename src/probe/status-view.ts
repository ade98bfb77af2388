import type { Board } from '../core/board.js';
import type { Status } from '../core/check.js';
import type { Clock } from '../core/clock.js';
import type { Decision } from '../core/decision.js';
import type { Diagnosis } from '../core/diagnosis.js';
import { isoTime } from '../core/iso-time.js';
import type { CheckView, ProbeState } from '../core/probe-state.js';
import { freshStatus } from '../core/readiness.js';
import {
  type HealthEntry,
  type NamedEntry,
  groupEntries,
  healthJson,
} from '../protocol/health-json.js';
import { encodeSteps } from './encoded.js';
import { type Prepared, healthResponse } from './prepared.js';
import type { ProbeModel } from './probe-model.js';

export interface StatusSource {
  readonly model: ProbeModel;
  readonly board: Board;
  readonly clock: Pick<Clock, 'now' | 'wallNow'>;
}

/**
 * The full report of `/healthz/status` (E2, E4), with the diagnosis where there is one; rendered on request and in
 * steps, it is for people and dashboards.
 */
export function* statusSteps(
  source: StatusSource,
  diagnosis?: Diagnosis,
): Generator<undefined, Prepared, undefined> {
  const { model, board, clock } = source;
  const now = clock.now();
  const state = model.state();
  const liveness = model.decision('liveness', now);
  const readiness = model.decision('readiness', now);
  const worst = liveness.status === 'fail' ? liveness : readiness;
  const reasons =
    liveness.status === 'fail' ? [...liveness.reasons, ...readiness.reasons] : readiness.reasons;
  const head = {
    status: worst.status,
    reason: worst.reason,
    phase: board.phase(),
    ...state.service,
    ...notesOf(state, reasons),
    ...outputOf(state, now),
    ...(diagnosis && { diagnosis }),
  };
  const checks = groupEntries([...checkEntries(state, now), ...processEntries(source, liveness)]);
  const httpStatus = worst.status === 'fail' ? 503 : 200;
  const body = yield* encodeSteps(healthJson(head, checks));
  return healthResponse(httpStatus, worst.status, body, ['Vary', 'Accept']);
}

/** Of thousands of checks that fail together nobody reads the reasons one by one; each check tells its own. */
const MANY = 100;

function notesOf(state: ProbeState, reasons: readonly string[]): { notes?: readonly string[] } {
  const notes = [...new Set([...firstOf(reasons), ...startupNotes(state), ...state.findings])];
  return notes.length === 0 ? {} : { notes };
}

function startupNotes({ startup }: ProbeState): readonly string[] {
  const { complete, remaining, percent } = startup;
  if (complete || remaining.length === 0) return [];
  const progress = percent === undefined ? '' : ` at ${percent} %`;
  return [`start-up${progress}, waits for: ${remaining.join(', ')}`];
}

/** The texts of what does not pass, by name. */
function outputOf(state: ProbeState, now: number): { output?: string } {
  const lines = [...state.checks.values()]
    .filter((view) => freshStatus(view, now) !== 'pass' && view.last?.output !== undefined)
    .map(({ name, last }) => `${name}: ${last?.output}`);
  if (state.gates.fatal !== undefined) lines.unshift(`fatal: ${state.gates.fatal}`);
  return lines.length === 0 ? {} : { output: firstOf(lines).join('; ') };
}

function firstOf(texts: readonly string[]): readonly string[] {
  const more = texts.length - MANY;
  return more > 0 ? [...texts.slice(0, MANY), `and ${more} more`] : texts;
}

function checkEntries(state: ProbeState, now: number): NamedEntry[] {
  return [...state.checks.values()].map((view) => ({
    component: view.name,
    measurement: view.component.measurement,
    entry: () => checkEntry(view, now),
  }));
}

function checkEntry(view: CheckView, now: number): HealthEntry {
  const { measurement: _measurement, ...component } = view.component;
  const { impact, runs, abandoned, hanging, transitions, changedAt, last } = view;
  const verdict = freshStatus(view, now);
  // The draft has no word for a verdict that never was or has expired, and it must not read as good.
  const status: Status = verdict === 'unknown' ? 'fail' : verdict;
  return {
    ...component,
    status,
    ...lastOf(last),
    impact,
    verdict,
    runs,
    abandoned,
    hanging,
    transitions,
    ...(changedAt === undefined ? {} : { changedAt: isoTime(changedAt) }),
  };
}

function lastOf(last: CheckView['last']): Partial<HealthEntry> {
  if (last === undefined) return {};
  const { status: _status, wallAt, durationMs, ...seen } = last;
  return { ...seen, durationMs: Math.round(durationMs * 1000) / 1000, time: isoTime(wallAt) };
}

function processEntries({ board, clock, model }: StatusSource, liveness: Decision): NamedEntry[] {
  const time = isoTime(clock.wallNow());
  const beatAt = board.loopBeatAt();
  const { durationMs } = model.state().startup;
  const entry =
    (observedValue: number, observedUnit: string, status: Status) => (): HealthEntry => ({
      componentType: 'system',
      observedValue: Math.round(observedValue),
      observedUnit,
      status,
      time,
    });
  const loopStatus = liveness.reasons.includes('event_loop_stalled') ? 'fail' : 'pass';
  const beatAge = beatAt === 0 ? [] : [entry(Math.max(0, clock.now() - beatAt), 'ms', loopStatus)];
  const startup = durationMs === undefined ? [] : [entry(durationMs, 'ms', 'pass')];
  return [
    ...beatAge.map((item) => ({ component: 'event-loop', measurement: 'beatAge', entry: item })),
    ...startup.map((item) => ({ component: 'startup', measurement: 'duration', entry: item })),
    {
      component: 'requests',
      measurement: 'inFlight',
      entry: entry(board.inFlight(), 'requests', 'pass'),
    },
  ];
}
