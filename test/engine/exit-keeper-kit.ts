import type { ExitAnswer, ExitPermits } from '../../src/core/exit-permit.js';
import { type Decision, decide } from '../../src/core/decision.js';
import { type Gates, initialProbeState } from '../../src/core/probe-state.js';
import { createExitKeeper } from '../../src/engine/exit-keeper.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

export const DOWN = decide([], ['held_by_floor:database']);
export const FINE = decide([], []);
export const SHARED = ['check_failed:database'] as const;

/** Permits that answer what a test says, one question after the other. */
export function createAnswers(change: Partial<ExitPermits> = {}) {
  const asked: string[] = [];
  const given = { back: 0, closed: 0 };
  const next: { answer: () => ExitAnswer | Promise<ExitAnswer> } = {
    answer: () => ({ kind: 'granted' }),
  };
  const permits: ExitPermits = {
    fallback: 'stay',
    spreadMs: 0,
    keepMs: 0,
    retryMs: 1000,
    ask(reason) {
      asked.push(reason);
      return next.answer();
    },
    giveBack() {
      given.back += 1;
      return Promise.resolve(true);
    },
    close: () => void (given.closed += 1),
    ...change,
  };
  return { permits, asked, given, next };
}

export function setUp(permits: ExitPermits) {
  const clock = createManualClock();
  const log = createLog();
  const states: [at: number, state: Gates['exitPermit']][] = [];
  let counts: object = {};
  let current = initialProbeState.gates;
  const keeper = createExitKeeper({
    permits,
    clock,
    random: () => 0.5,
    logger: log.logger,
    publisher: { patch: (state) => void (counts = state.exitPermits ?? counts) },
    gates: {
      get current() {
        return current;
      },
      set(change) {
        current = { ...current, ...change };
        states.push([clock.now() - 1000, current.exitPermit]);
      },
    },
  });
  const look = (decision: Decision, shared: Parameters<typeof keeper.look>[1] = []) =>
    keeper.look(decision, shared);
  const events = () => log.lines.map(({ fields }) => fields['event']);
  const state = () => current.exitPermit;
  return { clock, log, events, keeper, look, states, state, counts: () => counts };
}

/** Admitted, and then down. */
export function goDown(permits: ExitPermits) {
  const set = setUp(permits);
  set.look(FINE);
  set.look(DOWN, SHARED);
  return set;
}
