import { describe, expect, it } from 'vitest';
import {
  type EventLoopDelayOptions,
  type EventLoopUtilizationOptions,
  eventLoopDelay,
  eventLoopUtilization,
} from '../../src/checks/event-loop.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

function setup(options?: EventLoopDelayOptions) {
  const clock = createManualClock();
  const check = harness(eventLoopDelay({ sampleMs: 100, ...options }), clock);
  /** What a stall does: time passes, no timer fires, then the late one does. */
  const stall = async (ms: number) => {
    clock.jump(ms);
    await clock.advance(0);
  };
  return { clock, check, stall };
}

describe('eventLoopDelay', () => {
  it('passes with zero delay on an idle loop', async () => {
    const { clock, check } = setup();
    await clock.advance(60_000);
    expect(await check.run()).toMatchObject({
      status: 'pass',
      observedValue: { p99: 0, max: 0, mean: 0 },
      observedUnit: 'ms',
    });
  });

  it('a stall stays in the window whoever reads, and leaves it after windowMs', async () => {
    const { clock, check, stall } = setup({ windowMs: 10_000 });
    await clock.advance(10_000);
    await stall(900);
    for (let read = 0; read < 9; read += 1) {
      expect(await check.run()).toMatchObject({ status: 'warn', observedValue: { max: 800 } });
      await clock.advance(1_000);
    }
    await clock.advance(1_000);
    expect(await check.run()).toMatchObject({ status: 'pass', observedValue: { max: 0 } });
  });

  it('counts a stall before the late timer has fired', async () => {
    const { clock, check } = setup({ windowMs: 5_000 });
    await clock.advance(5_000);
    clock.jump(2_100);
    const outcome = await check.run();
    expect(outcome).toMatchObject({ status: 'warn', observedValue: { max: 2_000 } });
    expect(outcome.output).toBe('event loop delay p99 is 2000 ms, above 250 ms');
  });

  it('one short stall in a long window is not a warning', async () => {
    const { clock, check, stall } = setup();
    await clock.advance(30_000);
    await stall(400);
    await clock.advance(5_000);
    expect(await check.run()).toMatchObject({ status: 'pass', observedValue: { max: 300 } });
  });

  it('never fails by default, and fails above failAboveMs', async () => {
    for (const [failAboveMs, status] of [
      [Infinity, 'warn'],
      [1_000, 'fail'],
    ] as const) {
      const { clock, check, stall } = setup({ failAboveMs });
      await clock.advance(30_000);
      await stall(20_000);
      expect(await check.run()).toMatchObject({ status, code: 'event_loop_delayed' });
    }
  });

  it('by default samples every 250 ms over 30 s', async () => {
    const clock = createManualClock();
    const check = harness(eventLoopDelay(), clock);
    await clock.advance(30_000);
    clock.jump(650);
    await clock.advance(29_000);
    expect((await check.run()).observedValue).toMatchObject({ max: 400 });
    await clock.advance(1_000);
    expect((await check.run()).observedValue).toMatchObject({ max: 0 });
  });

  it('starts one timer, that does not hold the process, and clears it', async () => {
    const { clock, check } = setup();
    await clock.advance(1_000);
    expect(clock.pendingTimers).toBe(1);
    expect(clock.pendingHolds).toBe(0);
    await check.dispose();
    expect(clock.pendingTimers).toBe(0);
  });

  it('added again, it starts over: the time it was away is no delay', async () => {
    const { clock, check } = setup();
    await clock.advance(1000);
    await check.dispose();
    await clock.advance(60_000);
    check.start();
    expect(await check.run()).toMatchObject({ status: 'pass', observedValue: { max: 0 } });
    expect(clock.pendingTimers).toBe(1);
    await check.dispose();
  });

  it('refuses to run before its start', () => {
    const { run } = eventLoopDelay();
    expect(() => run(new AbortController().signal)).toThrow(/runs only after its start/);
  });

  it.each([
    [{ warnAboveMs: 0 }, /eventLoopDelay.warnAboveMs must be a number from 1/],
    [{ warnAboveMs: 100, failAboveMs: 50 }, /eventLoopDelay.failAboveMs must be .* from 100/],
    [{ sampleMs: 1 }, /eventLoopDelay.sampleMs must be a number from 10/],
    [{ windowMs: 50 }, /eventLoopDelay.windowMs must be a number from 250 to 2500000, got 50/],
  ])('names the bad option in %j', (options, message) => {
    expect(() => eventLoopDelay(options)).toThrow(message);
  });
});

describe('eventLoopUtilization', () => {
  /** A loop that is busy for a share of the time that passes. */
  function loop(options: EventLoopUtilizationOptions = {}) {
    const clock = createManualClock();
    let times = { active: 0, idle: 0 };
    const check = harness(eventLoopUtilization({ source: () => times, ...options }), clock);
    const pass = async (ms: number, busy: number) => {
      times = { active: times.active + ms * busy, idle: times.idle + ms * (1 - busy) };
      await clock.advance(ms);
    };
    return { check, pass };
  }

  it('says for which share of the window the loop was busy', async () => {
    const { check, pass } = loop();
    await pass(30_000, 0.5);
    expect(await check.run()).toMatchObject({
      status: 'pass',
      observedValue: 0.5,
      observedUnit: 'ratio',
    });
  });

  it('warns above warnAbove, fails above failAbove only if that is set', async () => {
    const [usual, strict] = [loop(), loop({ failAbove: 0.95 })];
    for (const { pass } of [usual, strict]) await pass(30_000, 0.97);
    const busy = {
      code: 'event_loop_busy',
      output: 'the event loop was busy for 97 % of the time',
    };
    expect(await usual.check.run()).toMatchObject({ status: 'warn', ...busy });
    expect(await strict.check.run()).toMatchObject({ status: 'fail', ...busy });
    await usual.pass(30_000, 0.9);
    expect((await usual.check.run()).status).toBe('pass');
  });

  it('reading often changes nothing: the window slides', async () => {
    const { check, pass } = loop({ windowMs: 10_000 });
    const shares: unknown[] = [];
    for (const busy of [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]) {
      await pass(1_000, busy);
      shares.push((await check.run()).observedValue);
    }
    expect(shares.slice(9)).toEqual([1, 0.9, 0.8, 0.7, 0.6, 0.5]);
  });

  it('looks back to the last run when runs are further apart than the window', async () => {
    const { check, pass } = loop({ windowMs: 10_000 });
    await check.run();
    await pass(60_000, 0.5);
    expect((await check.run()).observedValue).toBe(0.5);
    await pass(60_000, 1);
    expect((await check.run()).observedValue).toBe(1);
  });

  it('does not judge the start of the process', async () => {
    const { check, pass } = loop();
    expect(await check.run()).toMatchObject({ status: 'pass', observedValue: 0 });
    await pass(14_999, 1);
    expect(await check.run()).toMatchObject({ status: 'pass', observedValue: 1 });
    await pass(1, 1);
    expect((await check.run()).status).toBe('warn');
  });

  it('added again, it begins anew; it refuses to run before its start', async () => {
    const { check, pass } = loop();
    await pass(60_000, 1);
    await check.dispose();
    expect(await check.run()).toMatchObject({ status: 'fail' });
    check.start();
    await pass(30_000, 0.2);
    expect((await check.run()).observedValue).toBe(0.2);
  });

  it('reads the figures of Node.js, and disturbs no other reader', async () => {
    const before = performance.eventLoopUtilization();
    const check = harness(eventLoopUtilization(), createManualClock());
    const { observedValue } = await check.run();
    expect(observedValue).toBeGreaterThanOrEqual(0);
    expect(observedValue).toBeLessThanOrEqual(1);
    const since = performance.eventLoopUtilization(before);
    expect(since.active + since.idle).toBeGreaterThan(0);
  });

  it.each([
    [{ warnAbove: 90 }, 'eventLoopUtilization.warnAbove must be a number from 0 to 1, got 90'],
    [{ failAbove: 0.5 }, /eventLoopUtilization.failAbove must be a number from 0.9/],
    [{ warnAbove: 0.5, failAbove: 2 }, /eventLoopUtilization.failAbove must be a number from 0 to/],
    [{ windowMs: 10 }, /eventLoopUtilization.windowMs must be a number from 1000/],
    [{ source: 1 as never }, /eventLoopUtilization.source must be a function/],
  ])('names the bad option in %j', (options, message) => {
    expect(() => loop(options)).toThrow(message);
  });
});
