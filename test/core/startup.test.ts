import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideStartup } from '../../src/core/startup-probe.js';
import {
  type Startup,
  type StartupEvent,
  beginStartup,
  nextStartup,
  startupView,
  unfinishedTasks,
} from '../../src/core/startup.js';

const added = (task: string): StartupEvent => ({ kind: 'task_added', task });
const done = (task: string): StartupEvent => ({ kind: 'task_done', task });
const DECLARED: StartupEvent = { kind: 'declared' };
const SPENT: StartupEvent = { kind: 'budget_spent' };

/** Start-up begun at 100, then one event per 10 ms. */
function after(...events: readonly StartupEvent[]): Startup {
  return events.reduce<Startup>(
    (startup, event, index) => nextStartup(startup, event, 110 + 10 * index),
    beginStartup(100),
  );
}

describe('startup', () => {
  it('S2: tells how far it is by weight and progress, and only grows', () => {
    const heavy: StartupEvent = { kind: 'task_added', task: 'index', weight: 3 };
    const at = (progress: number): StartupEvent => ({
      kind: 'task_progress',
      task: 'index',
      progress,
    });
    const percent = (...events: StartupEvent[]) => startupView(after(...events)).percent;
    expect(percent(heavy, added('pool'))).toBe(0);
    expect(percent(heavy, added('pool'), at(0.5))).toBe(37);
    expect(percent(heavy, added('pool'), at(0.5), at(0.2))).toBe(37);
    expect(percent(heavy, added('pool'), done('pool'))).toBe(25);
    expect(percent(heavy, added('pool'), done('index'), at(0.1))).toBe(75);
    expect(percent(heavy, added('pool'), at(1), done('pool'))).toBe(99);
    expect(percent(heavy, added('pool'), done('index'), done('pool'))).toBe(100);
    expect(percent(at(0.5))).toBe(0);
  });

  it('S3: names what is missing and how far each is', () => {
    const half: StartupEvent = { kind: 'task_progress', task: 'prices', progress: 0.5 };
    const state = after(added('prices'), added('pool'), added('cache'), half, done('pool'));
    expect(unfinishedTasks(state)).toEqual(['prices (50 %)', 'cache (0 %)']);
  });

  it('S1: is not complete of itself', () => {
    expect(startupView(after())).toEqual({
      complete: false,
      timedOut: false,
      total: 0,
      remaining: [],
      percent: 0,
    });
  });

  it('S2: names the tasks that remain, in their order', () => {
    const view = startupView(after(added('cache'), added('prices'), added('pool'), done('prices')));
    expect(view).toEqual({
      complete: false,
      timedOut: false,
      total: 3,
      remaining: ['cache', 'pool'],
      percent: 33,
    });
  });

  it('S2, S6: is complete with its last task, and tells how long it took', () => {
    const view = startupView(after(added('cache'), added('pool'), done('pool'), done('cache')));
    expect(view).toEqual({
      complete: true,
      timedOut: false,
      total: 2,
      remaining: [],
      percent: 100,
      durationMs: 40,
    });
  });

  it('S2: a task that nobody added changes nothing', () => {
    expect(startupView(after(done('ghost'))).complete).toBe(false);
    expect(startupView(after(added('a'), done('ghost')))).toMatchObject({
      complete: false,
      total: 1,
      remaining: ['a'],
      percent: 0,
    });
  });

  it('S2: a task added again is open again', () => {
    const view = startupView(after(added('a'), added('b'), done('a'), added('a'), done('b')));
    expect(view).toMatchObject({ complete: false, total: 2, remaining: ['a'] });
  });

  it('S2: can be declared by hand, whatever tasks are left', () => {
    const view = startupView(after(added('a'), DECLARED));
    expect(view).toMatchObject({ complete: true, remaining: [], total: 1, durationMs: 20 });
  });

  it('S3: reports the budget spent, until it completes all the same', () => {
    const late = after(added('a'), SPENT);
    expect(startupView(late)).toMatchObject({ complete: false, timedOut: true, remaining: ['a'] });
    expect(startupView(nextStartup(late, done('a'), 500))).toMatchObject({
      complete: true,
      timedOut: false,
      durationMs: 400,
    });
    expect(startupView(after(added('a'), done('a'), SPENT)).timedOut).toBe(false);
  });

  it('S1: never reverts, and its duration stays', () => {
    const complete = after(DECLARED);
    for (const event of [added('late'), done('late'), DECLARED, SPENT]) {
      expect(nextStartup(complete, event, 9999)).toBe(complete);
    }
  });

  it('S1: once complete it stays so under any events', () => {
    const task = fc.constantFrom('a', 'b');
    const event = fc.oneof(
      task.map(added),
      task.map(done),
      fc.constantFrom<StartupEvent>(DECLARED, SPENT),
    );
    fc.assert(
      fc.property(fc.array(event), (events) => {
        let startup = beginStartup(0);
        let completed = false;
        events.forEach((each, index) => {
          startup = nextStartup(startup, each, index);
          const view = startupView(startup);
          expect(view.complete || !completed).toBe(true);
          expect(view.complete).toBe(decideStartup(view).status === 'pass');
          expect(view.durationMs !== undefined).toBe(view.complete);
          completed = view.complete;
        });
      }),
    );
  });

  it('leaves the state it is given as it was', () => {
    const before = after(added('a'));
    nextStartup(before, done('a'), 5);
    nextStartup(before, added('b'), 5);
    expect([...before.tasks]).toEqual([['a', { weight: 1, progress: 0, done: false }]]);
  });
});

describe('startup probe', () => {
  const view = { complete: false, timedOut: false, total: 0, remaining: [] };

  it('S1, S3: says why it does not pass', () => {
    expect(decideStartup(view)).toMatchObject({ status: 'fail', reason: 'starting' });
    expect(decideStartup({ ...view, timedOut: true })).toMatchObject({
      status: 'fail',
      reason: 'startup_timeout',
      reasons: ['startup_timeout'],
    });
  });

  it('S1: passes once complete, whatever else is said', () => {
    expect(decideStartup({ ...view, complete: true, timedOut: true, remaining: ['a'] })).toEqual({
      status: 'pass',
      reason: 'ok',
      reasons: [],
      validUntil: Infinity,
    });
  });
});
