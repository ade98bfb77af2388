import { describe, expect, it } from 'vitest';
import {
  HISTORY_STEPS,
  HISTORY_STEP_MS,
  RECENT_RUNS,
  createRunHistory,
} from '../../src/core/run-history.js';

const BEGIN = Date.UTC(2026, 0, 1);
const iso = (ms: number) => new Date(ms).toISOString();

describe('the runs of a check', () => {
  it('E4: are empty before the first', () => {
    const history = createRunHistory();
    expect(history.recent()).toStrictEqual([]);
    expect(history.steps(BEGIN)).toStrictEqual([]);
  });

  it('E4: are kept one by one, the last sixty, oldest first', () => {
    const history = createRunHistory();
    for (let run = 0; run < 100; run += 1) history.record(BEGIN + run * 1000, run + 0.25, 'pass');
    const recent = history.recent();
    expect(recent).toHaveLength(RECENT_RUNS);
    expect(recent[0]).toStrictEqual({ at: iso(BEGIN + 40_000), durationMs: 40.25, status: 'pass' });
    expect(recent.at(-1)).toStrictEqual({
      at: iso(BEGIN + 99_000),
      durationMs: 99.25,
      status: 'pass',
    });
  });

  it('E4: are summed up in steps, which count what failed and warned', () => {
    const history = createRunHistory();
    history.record(BEGIN + 1, 10, 'pass');
    history.record(BEGIN + 2, 30, 'warn');
    history.record(BEGIN + HISTORY_STEP_MS - 1, 20, 'fail');
    history.record(BEGIN + 2 * HISTORY_STEP_MS, 1.2345, 'fail');
    expect(history.steps(BEGIN + 2 * HISTORY_STEP_MS)).toStrictEqual([
      {
        at: iso(BEGIN),
        stepMs: HISTORY_STEP_MS,
        runs: 3,
        failed: 1,
        warned: 1,
        meanMs: 20,
        maxMs: 30,
      },
      {
        at: iso(BEGIN + 2 * HISTORY_STEP_MS),
        stepMs: HISTORY_STEP_MS,
        runs: 1,
        failed: 1,
        warned: 0,
        meanMs: 1.235,
        maxMs: 1.235,
      },
    ]);
    expect(history.recent().map(({ status }) => status)).toStrictEqual([
      'pass',
      'warn',
      'fail',
      'fail',
    ]);
  });

  it('E4: are a day, whose oldest step makes room for the newest', () => {
    const history = createRunHistory();
    for (let step = 0; step < HISTORY_STEPS + 10; step += 1)
      history.record(BEGIN + step * HISTORY_STEP_MS, step, 'pass');
    const last = BEGIN + (HISTORY_STEPS + 9) * HISTORY_STEP_MS;
    const steps = history.steps(last);
    expect(steps).toHaveLength(HISTORY_STEPS);
    expect(steps[0]).toMatchObject({ at: iso(BEGIN + 10 * HISTORY_STEP_MS), runs: 1, maxMs: 10 });
    expect(steps.at(-1)?.at).toBe(iso(last));
    expect(history.steps(last, 7).map(({ maxMs }) => maxMs)).toStrictEqual([
      291, 292, 293, 294, 295, 296, 297,
    ]);
    expect(history.steps(last, 0)).toStrictEqual([]);
    expect(history.steps(last, 1e9)).toHaveLength(HISTORY_STEPS);
    expect(history.steps(last + 100 * HISTORY_STEP_MS)).toHaveLength(HISTORY_STEPS - 100);
    expect(history.steps(last + HISTORY_STEPS * HISTORY_STEP_MS)).toStrictEqual([]);
  });

  it('E4: survive a wall clock that is set back', () => {
    const history = createRunHistory();
    history.record(BEGIN + 3_600_000, 1, 'pass');
    history.record(BEGIN, 2, 'pass');
    expect(history.steps(BEGIN).map(({ at }) => at)).toStrictEqual([iso(BEGIN)]);
    expect(history.steps(BEGIN + 3_600_000)).toHaveLength(2);
  });

  it('E4: take the same memory after a million runs', () => {
    const history = createRunHistory();
    const before = history.bytes;
    for (let run = 0; run < 1e6; run += 1) history.record(BEGIN + run * 300, 1, 'pass');
    expect(history.bytes).toBe(before);
    expect(before).toBeLessThan(9000);
  });
});
