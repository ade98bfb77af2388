import type { AnsweringFigures } from '../core/answering-figures.js';
import type { Board } from '../core/board.js';
import type { Clock } from '../core/clock.js';
import type { Decision } from '../core/decision.js';
import { decideLiveness } from '../core/liveness.js';
import type { Phase } from '../core/phase.js';
import type { ProbeOptions } from '../core/probe-options.js';
import {
  type ProbeState,
  type ProbeUpdate,
  applyUpdate,
  initialProbeState,
} from '../core/probe-state.js';
import { type ReadinessInput, decideReadiness } from '../core/readiness.js';
import type { Reason } from '../core/reason.js';
import { decideStartup } from '../core/startup-probe.js';
import type { AnswerCounter } from './answer-counters.js';
import { createAnswerFigures } from './answer-figures.js';
import { type Prepared, prepare } from './prepared.js';
import type { ProbeKind } from './probe-kind.js';
import { type Watchdog, createWatchdog } from './watchdog.js';

/** What the model tells whoever runs it, before the answer that follows from it is given (L7). */
export interface ModelHooks {
  /** The main loop has stood still for longer than allowed. */
  onStall(blockedForMs: number): void;
  onStallEnd(blockedForMs: number): void;
  /** Liveness turned from good to failed. */
  onLivenessFailed(reason: Reason): void;
}

export interface ModelOptions {
  readonly board: Board;
  readonly probes: Pick<ProbeOptions, 'stallAfterMs' | 'beatMs' | 'staleAfterMs' | 'warnStatus'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the model runs beside the main loop, and so can see it stand still. */
  readonly watchesLoop: boolean;
  readonly hooks: ModelHooks;
}

/** The answering side: the last published state, the board and the watches, and one rendered answer per probe. */
export interface ProbeModel {
  apply(update: ProbeUpdate): void;
  /** Looks at the beats; called regularly, so that a stall is noticed and logged without a probe. */
  tick(now: number): void;
  /** The rendered answer of a probe at `now`, counted; renders only when something changed. */
  answer(kind: ProbeKind, now: number): Prepared;
  decision(kind: ProbeKind, now: number): Decision;
  /** Readiness without some checks or groups, for `?exclude=`; not counted, not cached. */
  readinessWithout(exclude: ReadonlySet<string>, now: number): Decision;
  /** The HTTP status of a decision (R6). */
  httpStatus(kind: ProbeKind, decision: Decision): number;
  state(): ProbeState;
  loopStalled(): boolean;
  stalledProgress(): readonly string[];
  /** An answer to a probe took so many milliseconds. */
  handled(kind: ProbeKind, durationMs: number): void;
  /** What was counted so far, for metrics. */
  figures(now: number): AnsweringFigures;
  livenessFailures(): number;
}

interface Cached {
  readonly decision: Decision;
  readonly prepared: Prepared;
  readonly counter: AnswerCounter;
  readonly version: number;
  readonly phase: Phase;
  /** The evaluation a stale answer was decided on: any later one may end it. */
  readonly staleSince: number | undefined;
}

/** Looks closer together than this tell nothing new and would cost each of a burst of probes. */
const SHORTEST_STEP_MS = 5;

/** Creates the model; it starts with nothing published. */
export function createProbeModel(options: ModelOptions): ProbeModel {
  return new Model(options);
}

class Model implements ProbeModel {
  readonly #options: ModelOptions;
  readonly #watchdog: Watchdog;
  readonly #figures = createAnswerFigures();
  readonly #cache: Partial<Record<ProbeKind, Cached>> = {};
  #state = initialProbeState;
  #version = 0;
  #lookedAt: number;
  #livenessFails = false;
  #livenessFailures = 0;

  constructor(options: ModelOptions) {
    const { board, probes, clock, watchesLoop } = options;
    this.#options = options;
    this.#lookedAt = clock.now();
    this.#watchdog = createWatchdog({
      board,
      stallAfterMs: probes.stallAfterMs,
      beatMs: probes.beatMs,
      watchesLoop,
      now: this.#lookedAt,
    });
  }

  apply(update: ProbeUpdate): void {
    this.#state = applyUpdate(this.#state, update);
    this.#version += 1;
    if (update.state?.progress === undefined) return;
    this.#watchdog.watch(update.state.progress, this.#options.clock.now());
  }

  tick(now: number): void {
    this.#look(now);
    this.#current('liveness', now);
    this.#noteReadiness(now);
  }

  answer(kind: ProbeKind, now: number): Prepared {
    if (now - this.#lookedAt >= SHORTEST_STEP_MS) this.#look(now);
    const { prepared, counter } = this.#current(kind, now);
    counter.count += 1;
    return prepared;
  }

  decision(kind: ProbeKind, now: number): Decision {
    return this.#current(kind, now).decision;
  }

  readinessWithout(exclude: ReadonlySet<string>, now: number): Decision {
    return decideReadiness({ ...this.#readinessInput(now), exclude });
  }

  httpStatus(kind: ProbeKind, { status }: Decision): number {
    if (status === 'pass') return 200;
    return status === 'warn' && kind === 'readiness' ? this.#options.probes.warnStatus : 503;
  }

  state(): ProbeState {
    return this.#state;
  }

  loopStalled(): boolean {
    return this.#watchdog.loopStalled();
  }

  stalledProgress(): readonly string[] {
    return this.#watchdog.stalledProgress();
  }

  handled(kind: ProbeKind, durationMs: number): void {
    this.#figures.handled(kind, durationMs);
  }

  figures(now: number): AnsweringFigures {
    this.#noteReadiness(now);
    return this.#figures.read((kind) => this.decision(kind, now), this.#livenessFailures);
  }

  livenessFailures(): number {
    return this.#livenessFailures;
  }

  #look(now: number): void {
    const { board, watchesLoop, hooks } = this.#options;
    const wasStalled = this.#watchdog.loopStalled();
    const pausedBefore = this.#watchdog.pausedMs();
    this.#lookedAt = now;
    if (this.#watchdog.look(now)) this.#version += 1;
    const pausedMs = this.#watchdog.pausedMs();
    if (watchesLoop && pausedMs !== pausedBefore) board.setPausedMs(pausedMs);
    const stalled = this.#watchdog.loopStalled();
    if (wasStalled === stalled) return;
    // Liveness first: its reason is counted and logged before anything else is made of the stall (L7).
    this.#current('liveness', now);
    if (stalled) hooks.onStall(this.#watchdog.stoodStillMs());
    else hooks.onStallEnd(this.#watchdog.stoodStillMs());
  }

  #current(kind: ProbeKind, now: number): Cached {
    const cached = this.#cache[kind];
    return cached !== undefined && this.#holds(cached, now) ? cached : this.#refresh(kind, now);
  }

  #holds({ version, phase, decision, staleSince }: Cached, now: number): boolean {
    const { board } = this.#options;
    if (version !== this.#version || now >= decision.validUntil) return false;
    if (phase !== board.phase()) return false;
    return staleSince === undefined || staleSince === board.evaluatedAt();
  }

  #refresh(kind: ProbeKind, now: number): Cached {
    const { board } = this.#options;
    // Read before deciding: a phase or evaluation that arrives in between makes the next probe look again.
    const phase = board.phase();
    const evaluatedAt = board.evaluatedAt();
    const decision = this.#decide(kind, now);
    const status = this.httpStatus(kind, decision);
    const remaining = kind === 'startup' ? this.#state.startup.remaining.length : undefined;
    const cached: Cached = {
      decision,
      prepared: prepare(decision, status, remaining),
      counter: this.#figures.counterOf(kind, decision, status),
      version: this.#version,
      phase,
      staleSince: decision.reasons.includes('stale') ? evaluatedAt : undefined,
    };
    this.#cache[kind] = cached;
    if (kind === 'liveness') this.#noteLiveness(decision);
    return cached;
  }

  #decide(kind: ProbeKind, now: number): Decision {
    if (kind === 'startup') return decideStartup(this.#state.startup);
    if (kind === 'readiness') return decideReadiness(this.#readinessInput(now));
    return decideLiveness({
      gates: this.#state.gates,
      failingGuards: this.#state.failingGuards,
      loopStalled: this.#watchdog.loopStalled(),
      stalledProgress: this.#watchdog.stalledProgress(),
    });
  }

  #readinessInput(now: number): ReadinessInput {
    const { board, probes } = this.#options;
    return {
      state: this.#state,
      phase: board.phase(),
      now,
      evaluatedAt: board.evaluatedAt(),
      staleAfterMs: probes.staleAfterMs,
    };
  }

  #noteReadiness(now: number): void {
    this.#figures.noteReadiness(this.decision('readiness', now), now);
  }

  #noteLiveness({ status, reason }: Decision): void {
    const fails = status === 'fail';
    if (fails && !this.#livenessFails) {
      this.#livenessFailures += 1;
      this.#options.hooks.onLivenessFailed(reason);
    }
    this.#livenessFails = fails;
  }
}
