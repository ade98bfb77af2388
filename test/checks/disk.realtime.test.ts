import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskSpace } from '../../src/checks/disk.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { harness } from '../support/run-check.js';

const MIB = 1_048_576;
let folder: string;
let small: string;
let isMounted: boolean;

/** Mounts a file system of 4 MiB and 64 inodes; false where that is not permitted. */
function mount(at: string): boolean {
  const options = ['-t', 'tmpfs', '-o', 'size=4m,nr_inodes=64', 'tmpfs', at];
  return spawnSync('mount', options).status === 0;
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hale-disk-'));
  small = path.join(folder, 'small');
  mkdirSync(small);
  isMounted = mount(small);
});
afterEach(() => {
  if (isMounted) execFileSync('umount', [small]);
  rmSync(folder, { recursive: true, force: true });
});

const run = (where: string, options = {}) => harness(diskSpace(where, options), systemClock).run();

describe('diskSpace on a real file system', () => {
  it('agrees with df', async () => {
    const outcome = await run(folder, { warnBelow: 0, failBelow: 0 });
    const free = Number(
      execFileSync('df', ['-B1', '--output=avail', folder]).toString().split('\n')[1],
    );
    const { freeBytes } = outcome.observedValue as { freeBytes: number };
    expect(Math.abs(freeBytes - free)).toBeLessThan(256 * MIB);
  });

  it('fills up, where one can be mounted: pass, warn, fail, and recovers', async () => {
    const never = { warnBelow: 0, failBelow: 0, warnInodesBelow: 0, failInodesBelow: 0 } as const;
    expect((await run(small, never)).status).toBe('pass');
    if (!isMounted) return;
    expect(await run(small)).toMatchObject({
      status: 'pass',
      observedValue: { totalBytes: 4 * MIB, totalInodes: 64 },
    });
    const file = path.join(small, 'log');
    writeFileSync(file, Buffer.alloc(3.7 * MIB));
    expect(await run(small)).toMatchObject({ status: 'warn', code: 'disk_low' });
    writeFileSync(file, Buffer.alloc(4 * MIB - 8_192));
    expect(await run(small)).toMatchObject({ status: 'fail', code: 'disk_low' });
    rmSync(file);
    expect((await run(small)).status).toBe('pass');
    for (let n = 0; n < 60; n += 1) writeFileSync(path.join(small, `f${n}`), '');
    expect(await run(small)).toMatchObject({ status: 'warn', code: 'inodes_low' });
  });

  it('fails on a path that is not there', async () => {
    const outcome = await run(path.join(folder, 'gone'));
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toContain('ENOENT');
  });
});
