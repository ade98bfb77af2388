import { type Board, createBoard } from '../../src/core/board.js';
import type { ProbeOptions } from '../../src/core/probe-options.js';
import type { ProbeState } from '../../src/core/probe-state.js';
import { type ProbeModel, createProbeModel } from '../../src/probe/probe-model.js';
import { type ManualClock, createManualClock } from '../../src/testing/manual-clock.js';
import { startedState } from '../core/probe-state-builders.js';

/** A model on an injected clock, and everything it told. */
export interface ModelKit {
  readonly clock: ManualClock;
  readonly board: Board;
  readonly model: ProbeModel;
  /** What the model told, in order: `stall 1000`, `end 1200`, `liveness fatal`. */
  readonly told: string[];
  /** Publishes a whole state. */
  publish(state: ProbeState): void;
  /** Lets time pass with a beat and a look every 100 ms. */
  run(ms: number): void;
  /** Lets time pass with looks but without a beat. */
  block(ms: number): void;
}

export interface ModelKitOptions {
  readonly watchesLoop?: boolean;
  readonly warnStatus?: ProbeOptions['warnStatus'];
}

const STEP_MS = 100;

/** Builds a started service, evaluated and beating, with a stall bound of 1 s and a stale bound of 10 s. */
export function createModelKit({
  watchesLoop = true,
  warnStatus = 200,
}: ModelKitOptions = {}): ModelKit {
  const clock = createManualClock();
  const board = createBoard();
  const told: string[] = [];
  const model = createProbeModel({
    board,
    clock,
    watchesLoop,
    probes: { stallAfterMs: 1000, beatMs: 0, staleAfterMs: 10_000, warnStatus },
    hooks: {
      onStall: (ms) => told.push(`stall ${ms}`),
      onStallEnd: (ms) => told.push(`end ${ms}`),
      onLivenessFailed: (reason) => told.push(`liveness ${reason}`),
    },
  });
  const step = (ms: number, beats: boolean): void => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      clock.jump(STEP_MS);
      if (beats) board.beatLoop(clock.now());
      model.tick(clock.now());
    }
  };
  const publish = (state: ProbeState): void =>
    model.apply({ state, checks: [...state.checks.values()] });
  publish(startedState());
  board.setPhase('running');
  board.beatLoop(clock.now());
  board.setEvaluatedAt(clock.now());
  model.tick(clock.now());
  return {
    clock,
    board,
    model,
    told,
    publish,
    run: (ms) => step(ms, true),
    block: (ms) => step(ms, false),
  };
}
