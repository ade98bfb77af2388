import { describe, expect, it } from 'vitest';
import { type MemoryUsageOptions, memoryUsage } from '../../src/checks/memory.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { fakeFiles } from '../support/fake-files.js';
import { harness } from '../support/run-check.js';

const MIB = 1_048_576;
const V2 = { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/memory.max': `${100 * MIB}\n` };
const V1 = {
  '/proc/self/cgroup': '4:memory:/\n',
  '/sys/fs/cgroup/memory/memory.limit_in_bytes': `${100 * MIB}\n`,
};

function setup(options: MemoryUsageOptions = {}, files: Record<string, string> = V2) {
  let rss = 0;
  const read = fakeFiles(files);
  const source = { rss: () => rss, total: () => 1000 * MIB, read };
  const check = harness(memoryUsage({ source, ...options }), createManualClock());
  /** One run for each of these resident sizes in MiB; the last outcome. */
  const see = async (...sizes: readonly number[]) => {
    for (const size of sizes.slice(0, -1)) {
      rss = size * MIB;
      await check.run();
    }
    rss = (sizes.at(-1) ?? 0) * MIB;
    return check.run();
  };
  return { check, see, files };
}

describe('memoryUsage', () => {
  it.each([
    ['v2', V2],
    ['v1', V1],
  ])('compares the resident size with the limit of the cgroup, %s', async (_, files) => {
    const { see } = setup({}, files);
    expect(await see(90, 90, 90)).toMatchObject({
      status: 'warn',
      code: 'memory_high',
      output: `${90 * MIB} of ${100 * MIB} bytes of memory in use, 90 %`,
      observedValue: { used: 90 * MIB, total: 100 * MIB, share: 90 },
    });
    expect(await see(96, 96, 96)).toMatchObject({ status: 'fail', code: 'memory_high' });
  });

  it('one low figure among the samples is enough: a collection took the peak away', async () => {
    const { see } = setup();
    expect((await see(99, 99)).status).toBe('pass');
    expect((await see(50, 99, 99)).status).toBe('pass');
    expect((await see(99)).status).toBe('fail');
    expect((await see(86)).status).toBe('warn');
  });

  it('takes the memory of the machine where no group has a limit', async () => {
    const { see } = setup({ samples: 1 }, {});
    expect((await see(840)).status).toBe('pass');
    expect((await see(860)).status).toBe('warn');
  });

  it('follows a limit that changes', async () => {
    const files = { ...V2 };
    const { see } = setup({ samples: 1 }, files);
    expect((await see(90)).status).toBe('warn');
    files['/sys/fs/cgroup/memory.max'] = `${200 * MIB}\n`;
    expect((await see(90)).status).toBe('pass');
  });

  it('judges the working set of the container, without the cache that goes first', async () => {
    const files = {
      ...V2,
      '/sys/fs/cgroup/memory.current': `${95 * MIB}\n`,
      '/sys/fs/cgroup/memory.stat': `inactive_file ${20 * MIB}\n`,
    };
    const { see } = setup({ of: 'cgroup', samples: 1 }, files);
    expect(await see(1)).toMatchObject({ status: 'pass', observedValue: { used: 75 * MIB } });
    files['/sys/fs/cgroup/memory.current'] = `${110 * MIB}\n`;
    expect((await see(1)).status).toBe('warn');
    const { see: seeNone } = setup({ of: 'cgroup' }, {});
    expect(await seeNone(1)).toMatchObject({ status: 'fail' });
  });

  it('takes bytes, and never', async () => {
    const { see } = setup({ warnAbove: 10 * MIB, failAbove: Infinity, samples: 1 });
    expect((await see(10)).status).toBe('pass');
    expect((await see(99)).status).toBe('warn');
  });

  it('starts over when it is added again', async () => {
    const { check, see } = setup();
    await see(99, 99);
    await check.dispose();
    check.start();
    expect((await see(99)).status).toBe('pass');
  });

  it('is degraded unless told otherwise', () => {
    expect(memoryUsage().impact).toBe('degraded');
    expect(memoryUsage({ impact: 'critical' }).impact).toBe('critical');
  });

  it.each([
    [{ warnAbove: '0%' }, /memoryUsage.warnAbove must be a percentage/],
    [{ warnAbove: '90%', failAbove: '80%' }, /memoryUsage.failAbove must be/],
    [{ samples: 0 }, /memoryUsage.samples must be a whole number from 1 to 1000, got 0/],
    [{ of: 'heap' as 'rss' }, /memoryUsage.of must be one of "rss", "cgroup", got "heap"/],
  ] satisfies [MemoryUsageOptions, RegExp][])('names the bad option in %j', (options, message) => {
    expect(() => memoryUsage(options)).toThrow(message);
  });
});
