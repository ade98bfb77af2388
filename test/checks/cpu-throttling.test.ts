import { describe, expect, it } from 'vitest';
import { type CpuThrottlingOptions, cpuThrottling } from '../../src/checks/cpu-throttling.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { fakeFiles } from '../support/fake-files.js';
import { harness } from '../support/run-check.js';

type Write = (periods: number, throttled: number, ms: number) => [file: string, text: string];

const v2: Write = (periods, throttled, ms) => [
  '/sys/fs/cgroup/cpu.stat',
  `usage_usec 5\nnr_periods ${periods}\nnr_throttled ${throttled}\nthrottled_usec ${ms * 1e3}\n`,
];
const v1: Write = (periods, throttled, ms) => [
  '/sys/fs/cgroup/cpu/cpu.stat',
  `nr_periods ${periods}\nnr_throttled ${throttled}\nthrottled_time ${ms * 1e6}\n`,
];

function setup(options: CpuThrottlingOptions = {}, write: Write = v2) {
  const files: Record<string, string> = {};
  let total = { periods: 1000, throttled: 900, ms: 90_000 };
  const put = () => {
    const [file, text] = write(total.periods, total.throttled, total.ms);
    files[file] = text;
  };
  put();
  const clock = createManualClock();
  const check = harness(cpuThrottling({ read: fakeFiles(files), ...options }), clock);
  /** Five seconds in which so many periods passed and so many of them ran into the quota. */
  const pass = async (periods: number, throttled: number) => {
    const { periods: p, throttled: t, ms } = total;
    total = { periods: p + periods, throttled: t + throttled, ms: ms + throttled * 80 };
    put();
    await clock.advance(5_000);
    return check.run();
  };
  const restart = () => {
    total = { periods: 0, throttled: 0, ms: 0 };
  };
  return { check, pass, restart };
}

describe('cpuThrottling', () => {
  it.each([
    ['v2', v2],
    ['v1', v1],
  ])('looks at what happened since it was started, cgroup %s', async (_, write) => {
    const { pass } = setup({}, write);
    expect(await pass(50, 5)).toMatchObject({
      status: 'pass',
      observedValue: { share: 0.1, periods: 50, throttled: 5, throttledMs: 400 },
    });
    expect(await pass(50, 40)).toMatchObject({
      status: 'warn',
      code: 'cpu_throttled',
      output: 'the CPU quota was used up in 45 of 100 periods, 3600 ms held',
    });
  });

  it('forgets what is older than the window', async () => {
    const { pass } = setup({ windowMs: 15_000 });
    expect((await pass(50, 50)).status).toBe('warn');
    expect((await pass(50, 0)).status).toBe('warn');
    expect((await pass(50, 0)).status).toBe('warn');
    expect(await pass(50, 0)).toMatchObject({ status: 'pass', observedValue: { periods: 150 } });
  });

  it('never fails by default, and fails above failAbove', async () => {
    expect((await setup().pass(50, 50)).status).toBe('warn');
    expect((await setup({ failAbove: 0.9 }).pass(50, 50)).status).toBe('fail');
    expect((await setup({ failAbove: 0.9 }).pass(50, 30)).status).toBe('warn');
  });

  it('passes without a quota, without periods and without a cgroup', async () => {
    expect(await setup().pass(0, 0)).toMatchObject({ status: 'pass', observedValue: { share: 0 } });
    const { check } = setup({ read: fakeFiles({}) });
    const outcome = await check.run();
    expect(outcome.status).toBe('pass');
    expect(outcome.observedValue).toBeUndefined();
  });

  it('starts anew in another group, and when it is added again', async () => {
    const { check, pass, restart } = setup();
    await pass(50, 50);
    restart();
    expect(await pass(10, 0)).toMatchObject({ status: 'pass', observedValue: { periods: 0 } });
    expect((await pass(10, 9)).status).toBe('warn');
    await check.dispose();
    check.start();
    expect(await pass(10, 0)).toMatchObject({ status: 'pass', observedValue: { periods: 10 } });
  });

  it('refuses to run before its start', () => {
    const { run } = cpuThrottling();
    expect(() => run(new AbortController().signal)).toThrow(/runs only after its start/);
  });

  it.each([
    [{ warnAbove: -1 }, /cpuThrottling.warnAbove must be a number from 0/],
    [{ warnAbove: 0.5, failAbove: 0.4 }, /cpuThrottling.failAbove must be a number from 0.5/],
    [{ windowMs: 0 }, /cpuThrottling.windowMs must be a number from 1/],
  ])('names the bad option in %j', (options, message) => {
    expect(() => cpuThrottling(options)).toThrow(message);
  });
});
