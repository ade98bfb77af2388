import { hostname } from 'node:os';
import type { Board } from '../../core/board.js';
import {
  type CheckDiagnosis,
  DIAGNOSIS_SCHEMA,
  type Diagnosis,
  type DrainDiagnosis,
  type InstanceInfo,
  type ProbeDiagnosis,
  type TimelineEntry,
} from '../../core/diagnosis.js';
import { isoTime } from '../../core/iso-time.js';
import type { LeaseView } from '../../core/lease-host.js';
import { plainText } from '../../core/plain-text.js';
import type { CheckView, DrainView, ServiceInfo } from '../../core/probe-state.js';
import { freshStatus } from '../../core/readiness.js';
import { HALE_VERSION } from '../../core/version.js';
import type { ProbeKind } from '../probe-kind.js';
import type { ProbeModel } from '../probe-model.js';
import type { CheckRecords } from './check-records.js';
import type { Moment } from './moment.js';
import type { ProcessReadings } from './process-readings.js';
import { MAX_CHAINS, whyOf } from './why.js';
import type { WhyContext } from './why-facts.js';

/** What the document is made from. */
export interface DocumentSource extends Omit<WhyContext, 'state' | 'moment' | 'board' | 'records'> {
  readonly model: ProbeModel;
  readonly board: Board;
  readonly records: CheckRecords;
  readonly readings: Pick<ProcessReadings, 'read'>;
  timeline(): readonly TimelineEntry[];
  probeSince(kind: ProbeKind): number | undefined;
  /** Monotonic time at which the leases of the state were published. */
  leasesAt(): number;
}

/** What to leave out. */
export interface DocumentOptions {
  /** Whether each check has the steps of its day, or of as many hours as there is room for. @defaultValue true */
  readonly history?: boolean;
}

/** Steps of all checks together: the thread has a small heap, and 20,000 are 2.5 MB of text. */
const MAX_STEPS = 20_000;

/** Some microseconds each. */
const CHECKS_A_STEP = 32;

/**
 * Makes the document of this moment, a step for some dozen checks. What a check has in its memory is read when it is looked
 * at, so that the runs of all of them are never there at the same time.
 */
export function* diagnosisSteps(
  source: DocumentSource,
  moment: Moment,
  { history = true }: DocumentOptions = {},
): Generator<undefined, Diagnosis, undefined> {
  const { model, board, readings, stall } = source;
  const state = model.state();
  const context: WhyContext = { ...source, state, moment };
  const steps = history ? Math.floor(MAX_STEPS / Math.max(1, state.checks.size)) : 0;
  const { text: _text, ...seen } = stall.now(moment) ?? {};
  const head = {
    schema: DIAGNOSIS_SCHEMA,
    at: isoTime(moment.wallNow),
    phase: board.phase(),
    // For display: nothing is decided by it, and no clock of hale's is as old as the process.
    // oxlint-disable-next-line eslint/no-restricted-properties
    uptimeMs: Math.round(process.uptime() * 1000),
    instance: instanceOf(state.service),
    probes: {
      startup: probeOf('startup', source, context),
      liveness: probeOf('liveness', source, context),
      readiness: probeOf('readiness', source, context),
    },
    timeline: source.timeline(),
    process: readings.read(moment),
    leases: (state.leases ?? []).map((lease) => leaseOf(lease, moment.now - source.leasesAt())),
    ...(state.drain === undefined ? {} : { drain: drainOf(state.drain, moment.now) }),
    ...('cause' in seen ? { stall: seen } : {}),
    findings: state.findings.map(plainText),
  } as const;
  const checks: CheckDiagnosis[] = [];
  for (const view of state.checks.values()) {
    checks.push(checkOf(view, source, moment, steps));
    if (checks.length % CHECKS_A_STEP === 0) yield;
  }
  return { ...head, checks };
}

function instanceOf({ version, releaseId }: ServiceInfo): InstanceInfo {
  return {
    pid: process.pid,
    host: plainText(hostname()),
    nodeVersion: process.version,
    haleVersion: HALE_VERSION,
    ...(version === undefined ? {} : { version: plainText(version) }),
    ...(releaseId === undefined ? {} : { releaseId: plainText(releaseId) }),
  };
}

function probeOf(kind: ProbeKind, source: DocumentSource, context: WhyContext): ProbeDiagnosis {
  const decision = source.model.decision(kind, context.moment.now);
  const since = source.probeSince(kind);
  const more = decision.reasons.length - MAX_CHAINS;
  return {
    status: decision.status,
    httpStatus: source.model.httpStatus(kind, decision),
    reason: decision.reason,
    ...(since === undefined ? {} : { since: isoTime(since) }),
    why: whyOf(decision, context),
    ...(more > 0 ? { moreReasons: more } : {}),
  };
}

function checkOf(
  view: CheckView,
  { records }: DocumentSource,
  { now, wallNow }: Moment,
  steps: number,
): CheckDiagnosis {
  const { name, impact, runs, abandoned, hanging, transitions, streak, ranAt } = view;
  const { history, since } = records.of(name) ?? {};
  return {
    name,
    impact,
    verdict: freshStatus(view, now),
    ...(since === undefined ? {} : { since: isoTime(since) }),
    ...lastOf(view),
    ...(ranAt === undefined ? {} : { ageMs: Math.max(0, Math.round(now - ranAt)) }),
    ...(streak === undefined ? {} : { threshold: streak }),
    runs,
    abandoned,
    hanging,
    transitions,
    get recent() {
      return history?.recent() ?? [];
    },
    get history() {
      return history?.steps(wallNow, steps) ?? [];
    },
  };
}

function lastOf({
  last,
}: CheckView): Pick<
  CheckDiagnosis,
  'code' | 'output' | 'observedValue' | 'observedUnit' | 'lastDurationMs'
> {
  if (last === undefined) return {};
  const { code, output, observedValue, observedUnit, durationMs } = last;
  return {
    ...(code === undefined ? {} : { code }),
    ...(output === undefined ? {} : { output: plainText(output) }),
    ...(observedValue === undefined ? {} : { observedValue }),
    ...(observedUnit === undefined ? {} : { observedUnit: plainText(observedUnit) }),
    lastDurationMs: Math.round(durationMs * 1000) / 1000,
  };
}

/** As published, but for the time that has passed since. */
function leaseOf(lease: LeaseView, ageMs: number): LeaseView {
  const { name, backend, holder, remainingMs } = lease;
  return {
    ...lease,
    name: plainText(name),
    backend: plainText(backend),
    holder: plainText(holder),
    ...(remainingMs === undefined
      ? {}
      : { remainingMs: Math.max(0, Math.round(remainingMs - ageMs)) }),
  };
}

function drainOf(
  { reason, since, deadlineAt, steps, open }: DrainView,
  now: number,
): DrainDiagnosis {
  return {
    reason: plainText(reason),
    since: isoTime(since),
    leftMs: Math.max(0, Math.round(deadlineAt - now)),
    steps,
    open: open.map(plainText),
  };
}
