import { describe, expect, it } from 'vitest';
import { readCpuStat, readMemoryLimit, readWorkingSet } from '../../src/core/cgroup-files.js';
import {
  cgroupFoldersV1,
  cgroupFoldersV2,
  cpuStat,
  inactiveFileBytes,
} from '../../src/core/cgroup.js';
import { fakeFiles } from '../support/fake-files.js';

describe('cgroup', () => {
  it('the folders that bind the process: its own first, the root last', () => {
    const own =
      '4:memory:/pod/a\n3:cpu,cpuacct:/b\n1:name=systemd:/x\n0::/system.slice/a.service\n';
    expect(cgroupFoldersV2(own)).toEqual([
      '/sys/fs/cgroup/system.slice/a.service',
      '/sys/fs/cgroup/system.slice',
      '/sys/fs/cgroup',
    ]);
    expect(cgroupFoldersV1(own, 'memory')).toEqual([
      '/sys/fs/cgroup/memory/pod/a',
      '/sys/fs/cgroup/memory/pod',
      '/sys/fs/cgroup/memory',
    ]);
    expect(cgroupFoldersV1(own, 'cpu')[0]).toBe('/sys/fs/cgroup/cpu/b');
    expect(cgroupFoldersV2('0::/\n')).toEqual(['/sys/fs/cgroup']);
    expect(cgroupFoldersV2('')).toEqual(['/sys/fs/cgroup']);
  });

  it('reads throttling in the units of both versions', () => {
    const v2 = 'usage_usec 9\nnr_periods 40\nnr_throttled 10\nthrottled_usec 2500000\n';
    const v1 = 'nr_periods 40\nnr_throttled 10\nthrottled_time 2500000000\nnr_bursts 0\n';
    const expected = { periods: 40, throttled: 10, throttledMs: 2500 };
    expect(cpuStat(v2)).toEqual(expected);
    expect(cpuStat(v1)).toEqual(expected);
    // The root of v2 has no quota.
    expect(cpuStat('usage_usec 9\nuser_usec 5\nsystem_usec 4\n')).toBeUndefined();
  });

  it('reads the cache that is given back first', () => {
    expect(inactiveFileBytes('anon 5\ninactive_file 7\n')).toBe(7);
    expect(inactiveFileBytes('inactive_file 7\ntotal_inactive_file 9\n')).toBe(9);
    expect(inactiveFileBytes('')).toBe(0);
  });

  it('the lowest memory limit of the groups around the process holds', () => {
    const read = fakeFiles({
      '/proc/self/cgroup': '0::/pod/app\n',
      '/sys/fs/cgroup/pod/app/memory.max': 'max\n',
      '/sys/fs/cgroup/pod/memory.max': '268435456\n',
    });
    expect(readMemoryLimit(read)).toBe(268_435_456);
    const v1 = fakeFiles({
      '/proc/self/cgroup': '4:memory:/docker/a\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '1048576\n',
    });
    expect(readMemoryLimit(v1)).toBe(1_048_576);
    expect(readMemoryLimit(fakeFiles({}))).toBeUndefined();
  });

  it('the working set is the usage without the cache that goes first', () => {
    const read = fakeFiles({
      '/proc/self/cgroup': '0::/\n',
      '/sys/fs/cgroup/memory.current': '1000\n',
      '/sys/fs/cgroup/memory.stat': 'anon 1\ninactive_file 300\n',
    });
    expect(readWorkingSet(read)).toBe(700);
    expect(readWorkingSet(fakeFiles({}))).toBeUndefined();
  });

  it('passes a group without a quota over for the one around it', () => {
    const none = 'usage_usec 1\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n';
    const read = fakeFiles({
      '/proc/self/cgroup': '0::/pod/app\n',
      '/sys/fs/cgroup/pod/app/cpu.stat': none,
      '/sys/fs/cgroup/pod/cpu.stat': 'nr_periods 8\nnr_throttled 2\nthrottled_usec 1000\n',
    });
    expect(readCpuStat(read)).toEqual({ periods: 8, throttled: 2, throttledMs: 1 });
    expect(readCpuStat(fakeFiles({ '/sys/fs/cgroup/cpu.stat': none }))?.periods).toBe(0);
    expect(readCpuStat(fakeFiles({}))).toBeUndefined();
  });
});
