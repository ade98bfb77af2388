import { describe, expect, it } from 'vitest';
import { createBoard } from '../../src/core/board.js';
import { type ProbeState, applyUpdate, initialProbeState } from '../../src/core/probe-state.js';
import { createPublisher } from '../../src/engine/publisher.js';
import { createStartupTasks } from '../../src/engine/startup-tasks.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

function setUp() {
  const clock = createManualClock();
  const board = createBoard();
  const log = createLog();
  let state: ProbeState = initialProbeState;
  let timeouts = 0;
  const startup = createStartupTasks({
    clock,
    board,
    logger: log.logger,
    redact: (text) => text.replace('hunter2', '***'),
    budgetMs: 150_000,
    onTimeout: () => void (timeouts += 1),
    publisher: createPublisher({
      publish: (update) => void (state = applyUpdate(state, update)),
      onError() {},
    }),
  });
  return { clock, board, log, startup, view: () => state.startup, timeouts: () => timeouts };
}

describe('start-up', () => {
  it('S1, S2, S6: complete once every task is done; its duration is kept', async () => {
    const { clock, board, startup, view, log } = setUp();
    startup.begin();
    const prices = startup.task('price list');
    const pool = startup.task('pool');
    await clock.advance(2000);
    expect(view()).toEqual({
      complete: false,
      timedOut: false,
      total: 2,
      remaining: ['price list', 'pool'],
      percent: 0,
    });
    pool.done();
    await clock.advance(1000);
    expect(view().remaining).toEqual(['price list']);
    expect(board.phase()).toBe('starting');
    prices.done();
    await clock.advance(10);
    expect(view()).toEqual({
      complete: true,
      timedOut: false,
      total: 2,
      remaining: [],
      percent: 100,
      durationMs: 3001,
    });
    expect(board.phase()).toBe('running');
    expect(clock.pendingTimers).toBe(0);
    expect(log.lines.at(-1)?.fields).toMatchObject({ event: 'started', durationMs: 3001 });
  });

  it('S1: never reverts; a task that comes too late is told how to come in time', async () => {
    const { clock, startup, view, log } = setUp();
    startup.begin();
    await clock.advance(10);
    expect(view().complete).toBe(true);
    startup.task('late');
    await clock.advance(200_000);
    expect(view()).toMatchObject({ complete: true, timedOut: false });
    expect(log.lines.at(-1)).toMatchObject({
      level: 'warn',
      fields: { event: 'startup_task_late', task: 'late' },
    });
  });

  it('S2: a task registered right after the last one was done still counts', async () => {
    const { clock, startup, view } = setUp();
    startup.begin();
    startup.task('first').done();
    const second = startup.task('second');
    await clock.advance(1000);
    expect(view()).toMatchObject({ complete: false, remaining: ['second'] });
    second.done();
    await clock.advance(1);
    expect(view().complete).toBe(true);
  });

  it('S2: started() by hand completes at once, whatever is left', async () => {
    const { startup, view, board } = setUp();
    startup.task('price list');
    startup.started();
    expect(view()).toMatchObject({ complete: true, remaining: [] });
    expect(board.phase()).toBe('running');
  });

  it('S3: a spent budget is reported once with the unfinished tasks, and start-up may still complete', async () => {
    const { clock, startup, view, log, timeouts } = setUp();
    startup.begin();
    const prices = startup.task('price list');
    startup.task('pool').done();
    await clock.advance(149_999);
    expect(timeouts()).toBe(0);
    await clock.advance(1);
    expect(view()).toMatchObject({ complete: false, timedOut: true, remaining: ['price list'] });
    expect(timeouts()).toBe(1);
    expect(log.lines).toMatchObject([
      { level: 'error', fields: { event: 'startup_timeout', remaining: ['price list'] } },
    ]);
    prices.done();
    await clock.advance(1);
    expect(view()).toMatchObject({ complete: true, timedOut: false });
  });

  it('S4: a failed task is logged redacted and leaves start-up open', async () => {
    const { clock, startup, view, log } = setUp();
    startup.begin();
    const pool = startup.task('pool');
    pool.fail(new Error('db://app:hunter2@db'));
    await clock.advance(1000);
    expect(view()).toMatchObject({ complete: false, remaining: ['pool'] });
    expect(log.lines[0]?.fields).toEqual({
      event: 'startup_task_failed',
      task: 'pool',
      output: 'db://app:***@db',
    });
    pool.done();
    await clock.advance(1);
    expect(view().complete).toBe(true);
  });

  it('D1: completing during a drain does not bring the process back', () => {
    const { startup, board } = setUp();
    board.setPhase('draining');
    startup.started();
    expect(board.phase()).toBe('draining');
  });

  it('S2, S3: progress and weights give a percentage; the budget report lists what is missing', async () => {
    const { clock, startup, view, log } = setUp();
    startup.begin();
    const prices = startup.task('price list', { weight: 3 });
    startup.task('pool');
    prices.progress(0.4);
    await clock.advance(10);
    expect(view().percent).toBe(30);
    await clock.advance(150_000);
    const line = log.lines.find(({ fields }) => fields['event'] === 'startup_timeout');
    expect(line?.fields).toMatchObject({ remaining: ['price list', 'pool'], percent: 30 });
    expect(line?.message).toContain('unfinished: price list (40 %), pool (0 %)');
  });

  it('S5: a task is done at its minimum, and wrong numbers are refused by name', async () => {
    const { clock, startup, view } = setUp();
    startup.begin();
    const cache = startup.task('cache', { enough: 0.8 });
    cache.progress(0.79);
    await clock.advance(10);
    expect(view().complete).toBe(false);
    cache.progress(0.8);
    await clock.advance(10);
    expect(view().complete).toBe(true);
    expect(() => cache.progress(1.1)).toThrow('startupTask.cache.progress must be a number from 0');
    expect(() => startup.task('a', { weight: 0 })).toThrow('startupTask.a.weight');
    expect(() => startup.task('a', { enough: 2 })).toThrow('startupTask.a.enough');
  });

  it('S5: a warm-up gate opens once there is enough; a look that throws is logged once', async () => {
    const { clock, board, startup, view, log } = setUp();
    startup.begin();
    let entries: number | undefined;
    const current = () => {
      if (entries === undefined) throw new Error('no cache yet: hunter2');
      return entries;
    };
    startup.warmUp('price cache', { current, enough: 200 });
    await clock.advance(1000);
    const failures = log.lines.filter(({ fields }) => fields['event'] === 'startup_task_failed');
    expect(failures.map(({ fields }) => fields['output'])).toEqual(['no cache yet: ***']);
    entries = 100;
    await clock.advance(250);
    expect(view()).toMatchObject({ complete: false, percent: 50 });
    expect(board.phase()).toBe('starting');
    entries = 250;
    await clock.advance(260);
    expect(view().complete).toBe(true);
    expect(board.phase()).toBe('running');
    expect(clock.pendingTimers).toBe(0);
    expect(() => startup.warmUp('x', { current, enough: 0 })).toThrow('warmUp.x.enough');
  });

  it('S2: two tasks with one name are refused, as the first to be done would complete both', () => {
    const { startup } = setUp();
    startup.task('cache');
    expect(() => startup.task('cache')).toThrow(
      'startupTask (a name) must be a name that no other task has, got "cache"',
    );
  });

  it('S4: waits for the end of start-up no longer than asked to, and leaves nothing behind', async () => {
    const { clock, startup } = setUp();
    const task = startup.task('model');
    const early = startup.untilComplete(100);
    await clock.advance(100);
    expect(await early).toBe(false);
    const late = startup.untilComplete(5000);
    task.done();
    await clock.advance(1);
    expect([await late, await startup.untilComplete(0)]).toEqual([true, true]);
    expect(clock.pendingTimers).toBe(0);
    expect(() => startup.untilComplete(Number.NaN)).toThrow(/untilStarted/);
  });
});
