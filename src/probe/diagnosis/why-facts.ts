import type { Board } from '../../core/board.js';
import type { WhyStep } from '../../core/diagnosis.js';
import { isoTime } from '../../core/iso-time.js';
import { plainText } from '../../core/plain-text.js';
import type { ProbeOptions } from '../../core/probe-options.js';
import type { ProbeState } from '../../core/probe-state.js';
import type { ReasonCode } from '../../core/reason.js';
import type { CheckRecords } from './check-records.js';
import { type Moment, wallTimeOf } from './moment.js';
import type { StallRecord } from './stall-record.js';

/** What a reason is explained from. */
export interface WhyContext {
  readonly state: ProbeState;
  readonly moment: Moment;
  readonly board: Pick<Board, 'inFlight' | 'evaluatedAt' | 'progressAt'>;
  readonly records: Pick<CheckRecords, 'of'>;
  readonly stall: Pick<StallRecord, 'now'>;
  readonly options: Pick<ProbeOptions, 'stallAfterMs' | 'staleAfterMs'>;
}

/** What is known about a reason that is no check's. */
export function factsOf(code: ReasonCode, name: string, context: WhyContext): readonly WhyStep[] {
  return textsOf(code, name, context).map(([text, at]) => ({
    kind: 'fact',
    text: plainText(text),
    ...(at === undefined ? {} : { at: isoTime(at) }),
  }));
}

/** A text, and since when it holds in wall-clock time where that is known. */
type Fact = readonly [text: string, at?: number];

function textsOf(code: ReasonCode, name: string, context: WhyContext): readonly Fact[] {
  const { state, board } = context;
  switch (code) {
    case 'stopped':
    case 'draining':
      return drainFacts(context);
    case 'event_loop_stalled':
      return stallFacts(context);
    case 'fatal':
      return [[`declared unrecoverable: ${state.gates.fatal ?? ''}`]];
    case 'guard_failed':
      return [[`the guard "${name}" was bad for several samples`]];
    case 'progress_stalled':
      return progressFacts(name, context);
    case 'lease_lost':
      return leaseFacts(context);
    case 'startup_timeout':
    case 'starting':
      return startupFacts(context);
    case 'maintenance':
      return [['taken out of rotation by maintenance()']];
    case 'stale':
      return staleFacts(context);
    case 'at_capacity':
      return [[`${board.inFlight()} in flight`]];
    case 'held_by_floor':
      return [['would leave rotation, but too many other instances already have']];
    default:
      return [];
  }
}

function drainFacts({ state: { drain }, moment }: WhyContext): readonly Fact[] {
  if (drain === undefined) return [];
  const leftS = Math.max(0, Math.round((drain.deadlineAt - moment.now) / 1000));
  return [
    [`draining: ${drain.reason}; at most ${leftS} s left`, drain.since],
    ...drain.open.map((open): Fact => [`waits for ${open}`]),
  ];
}

function stallFacts({ stall, moment, options }: WhyContext): readonly Fact[] {
  const seen = stall.now(moment);
  if (seen === undefined) return [];
  const forMs = Math.round(seen.blockedForMs);
  return [
    [`the main loop has not turned for ${forMs} ms, ${options.stallAfterMs} ms are allowed`],
    [seen.text],
  ];
}

function progressFacts(name: string, { state, board, moment }: WhyContext): readonly Fact[] {
  const view = state.progress.find((each) => each.name === name);
  if (view === undefined) return [];
  const beatAt = board.progressAt(view.slot);
  const bound = `"${name}" must move every ${view.stallAfterMs} ms`;
  if (beatAt === 0) return [[`${bound} and never has`]];
  const last = wallTimeOf(beatAt, moment);
  return [[`${bound}, and last did ${Math.round(moment.now - beatAt)} ms ago`, last]];
}

function leaseFacts({ state: { leases = [] } }: WhyContext): readonly Fact[] {
  return leases
    .filter(({ impact, state }) => impact === 'critical' && state !== 'held')
    .map(({ name, backend, state }): Fact => [`the lease "${name}" in ${backend} is ${state}`]);
}

function startupFacts({ state: { startup } }: WhyContext): readonly Fact[] {
  const { remaining, total, percent } = startup;
  const done = `${total - remaining.length} of ${total} start-up tasks are done`;
  const progress = percent === undefined ? done : `${done}, ${percent} %`;
  return [[progress], ...remaining.map((task): Fact => [`waits for "${task}"`])];
}

function staleFacts({ board, moment, options }: WhyContext): readonly Fact[] {
  const evaluatedAt = board.evaluatedAt();
  if (evaluatedAt === 0) return [['nothing has been evaluated yet']];
  const ageMs = Math.round(moment.now - evaluatedAt);
  const text = `the checks were last looked at ${ageMs} ms ago, ${options.staleAfterMs} ms are allowed`;
  return [[text, wallTimeOf(evaluatedAt, moment)]];
}
