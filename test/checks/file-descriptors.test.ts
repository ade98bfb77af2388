import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FileDescriptorsOptions, fileDescriptors } from '../../src/checks/file-descriptors.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

function run(open: number, options: FileDescriptorsOptions = {}) {
  const source = { open: () => open, limit: () => 1000 };
  return harness(fileDescriptors({ source, ...options }), createManualClock()).run();
}
const unknown = () => {
  throw new Error('ENOENT');
};

describe('fileDescriptors', () => {
  it('passes, warns and fails by the share of the soft limit', async () => {
    expect((await run(800)).status).toBe('pass');
    expect(await run(801)).toMatchObject({
      status: 'warn',
      code: 'descriptors_high',
      output: '801 of 1000 file descriptors are open',
      observedValue: { open: 801, limit: 1000 },
    });
    expect(await run(951)).toMatchObject({ status: 'fail', code: 'descriptors_high' });
  });

  it('takes numbers, and never', async () => {
    expect((await run(51, { warnAbove: 50, failAbove: Infinity })).status).toBe('warn');
    expect((await run(999, { warnAbove: 50, failAbove: Infinity })).status).toBe('warn');
  });

  it('passes where the system does not say, and without a limit', async () => {
    expect((await run(1, { source: { open: unknown } })).status).toBe('pass');
    const outcome = await run(1, { source: { open: () => 1_000_000, limit: unknown } });
    expect(outcome).toMatchObject({ status: 'pass', observedValue: { limit: null } });
  });

  it('counts what the process really has open', async () => {
    const check = harness(fileDescriptors(), createManualClock());
    const open = async () =>
      ((await check.run()).observedValue as { open: number; limit: number }).open;
    const before = await open();
    expect(before).toBeGreaterThan(2);
    const files = Array.from({ length: 20 }, () => openSync('/dev/null', 'r'));
    const during = await open();
    for (const file of files) closeSync(file);
    expect(during - before).toBe(20);
  });

  it('names the bad option', () => {
    expect(() => fileDescriptors({ warnAbove: 0 })).toThrow(/fileDescriptors.warnAbove must be/);
    expect(() => fileDescriptors({ failAbove: '10%' })).toThrow(/fileDescriptors.failAbove must/);
  });
});
