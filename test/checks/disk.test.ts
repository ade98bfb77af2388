import { describe, expect, it } from 'vitest';
import { type DiskSpaceOptions, diskSpace } from '../../src/checks/disk.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

/** 1,000 blocks of 4 KiB, 50 of them kept for root, and 1,000 inodes. */
const DISK = { bsize: 4096, blocks: 1050, bfree: 550, bavail: 500, files: 1000, ffree: 500 };

function setup(options: DiskSpaceOptions = {}, disk: Partial<typeof DISK> = {}) {
  const clock = createManualClock();
  const statfs = async () => ({ ...DISK, ...disk });
  return { clock, check: harness(diskSpace('/data', { statfs, ...options }), clock) };
}
const run = (disk: Partial<typeof DISK>, options?: DiskSpaceOptions) =>
  setup(options, disk).check.run();

describe('diskSpace', () => {
  it('passes with room for both, and counts what is kept for root as not there', async () => {
    expect(await run({})).toMatchObject({
      status: 'pass',
      observedValue: {
        freeBytes: 500 * 4096,
        totalBytes: 1000 * 4096,
        freeInodes: 500,
        totalInodes: 1000,
      },
    });
  });

  it.each([
    [{ bfree: 140, bavail: 90 }, 'warn', 'disk_low', '/data has 368640 bytes free, 9 %'],
    [{ bfree: 60, bavail: 10 }, 'fail', 'disk_low', '/data has 40960 bytes free, 1 %'],
    [{ ffree: 99 }, 'warn', 'inodes_low', '/data has 99 inodes free, 9.9 %'],
    [{ ffree: 0 }, 'fail', 'inodes_low', '/data has 0 inodes free, 0 %'],
    [{ bfree: 140, bavail: 90, ffree: 3 }, 'fail', 'inodes_low', '/data has 3 inodes free, 0.3 %'],
  ])('%j is %s, %s', async (disk, status, code, output) => {
    expect(await run(disk)).toMatchObject({ status, code, output });
  });

  it('takes bytes, and 0 is never', async () => {
    const full = { bfree: 0, bavail: 0 };
    expect((await run(full, { failBelow: 0 })).status).toBe('warn');
    expect((await run(full, { warnBelow: 0, failBelow: 0 })).status).toBe('pass');
    expect((await run({}, { warnBelow: 500 * 4096 + 1, failBelow: 1 })).status).toBe('warn');
  });

  it('judges no inodes where the file system counts none', async () => {
    expect((await run({ files: 0, ffree: 0 })).status).toBe('pass');
  });

  it('a file system that hangs holds the deadline, and one call however often it is asked', async () => {
    let calls = 0;
    let answer = (_: typeof DISK) => {};
    const statfs = () => {
      calls += 1;
      return new Promise<typeof DISK>((resolve) => {
        answer = resolve;
      });
    };
    const { clock, check } = setup({ statfs });
    for (let n = 0; n < 3; n += 1) {
      const running = check.run();
      await clock.advance(1_000);
      expect(await running).toMatchObject({
        status: 'fail',
        durationMs: 1_000,
        output: 'the file system does not answer: timed out',
      });
    }
    expect(calls).toBe(1);
    answer(DISK);
    await clock.settle();
    const recovered = check.run();
    answer(DISK);
    await clock.settle();
    answer(DISK);
    expect((await recovered).status).toBe('pass');
  });

  it('fails when the path cannot be looked at', async () => {
    const statfs = () =>
      Promise.reject(new Error("ENOENT: no such file or directory, statfs '/data'"));
    expect(await run({}, { statfs })).toMatchObject({ status: 'fail' });
  });

  it.each([
    [{ warnBelow: '5%', failBelow: '6%' }, /diskSpace.failBelow must be at most/],
    [{ warnInodesBelow: '200%' }, /diskSpace.warnInodesBelow must be a percentage/],
    [{ failBelow: -1 }, /diskSpace.failBelow must be/],
  ] satisfies [DiskSpaceOptions, RegExp][])('names the bad option in %j', (options, message) => {
    expect(() => diskSpace('/data', options)).toThrow(message);
    expect(() => diskSpace('')).toThrow(/diskSpace.path must be a text/);
  });
});
