import { describe, expect, it } from 'vitest';
import { type EventLoopDelayOptions, eventLoopDelay } from '../../src/checks/event-loop.js';
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
