import { describe, expect, it } from 'vitest';
import {
  type DeadlineCell,
  DEADLINE_CELL_BYTES,
  createDeadlineCell,
} from '../../../src/core/deadline-cell.js';
import { watchDeadline } from '../../../src/probe/kill-switch/watch-deadline.js';

/** The watch on a clock that moves only by sleeping; `script` says what the main thread does from when on. */
function watch(script: readonly (readonly [at: number, write: (cell: DeadlineCell) => void])[]) {
  const cell = createDeadlineCell(new SharedArrayBuffer(DEADLINE_CELL_BYTES));
  const rest = [...script];
  const sleeps: number[] = [];
  let now = 0;
  let suspendedMs = 0;
  const wait = (mark: bigint, timeoutMs: number): void => {
    const end = now + timeoutMs;
    for (;;) {
      const next = rest[0];
      if (next === undefined || next[0] > end) break;
      rest.shift();
      now = Math.max(now, next[0]);
      next[1](cell);
      if (cell.read().mark !== mark) return;
    }
    if (end === Infinity) throw new Error('it would sleep for ever');
    sleeps.push(timeoutMs);
    now = Math.max(now, end);
  };
  const suspend = (ms: number) => () => void (suspendedMs += ms);
  const run = () =>
    watchDeadline({ ...cell, wait }, { now: () => now, uptimeMs: () => now + 50.5 + suspendedMs });
  return {
    run,
    sleeps,
    suspend,
    cell,
    now: () => now,
    freeze: (ms: number) => () => void (now += ms),
  };
}

const until = (at: number) => (cell: DeadlineCell) => cell.set({ at, bootAheadMs: 50.5 }, 'orders');

describe('watching the deadline', () => {
  it('H3: sleeps without a deadline, and returns at the deadline, not before and not after', () => {
    const { run, now, sleeps } = watch([[5000, until(6100)]]);
    expect(run()).toBe(0);
    expect(now()).toBe(6100);
    expect(sleeps).toEqual([500, 500, 100]);
  });

  it('H3: a renewal moves it, however close it was', () => {
    const { run, now } = watch([
      [0, until(1000)],
      [999, until(2000)],
      [1999, until(3000)],
    ]);
    expect(run()).toBe(0);
    expect(now()).toBe(3000);
  });

  it('H3: one that moves back counts as well', () => {
    const { run, now } = watch([
      [0, until(30_000)],
      [1010, until(1100)],
    ]);
    run();
    expect(now()).toBe(1100);
  });

  it('a lease that was given up has no deadline any more', () => {
    const { run, now } = watch([
      [0, until(1000)],
      [500, (cell) => cell.clear()],
      [60_000, (cell) => cell.close()],
    ]);
    expect(run()).toBe(undefined);
    expect(now()).toBe(60_000);
  });

  it('ends when it is closed before its deadline', () => {
    const { run } = watch([
      [0, until(1000)],
      [500, (cell) => cell.close()],
    ]);
    expect(run()).toBe(undefined);
  });

  it('H8: a process that was frozen past it is late by the time it has slept', () => {
    const set: ReturnType<typeof watch> = watch([
      [0, until(1000)],
      [400, () => set.freeze(5000)()],
    ]);
    expect(set.run()).toBeGreaterThanOrEqual(4400);
  });

  it('H3: a machine that was suspended past it wakes up to it within half a second', () => {
    const set: ReturnType<typeof watch> = watch([
      [0, until(30_000)],
      [1100, () => set.suspend(60_000)()],
    ]);
    const lateMs = set.run();
    expect(set.now()).toBeLessThanOrEqual(1600);
    expect(lateMs).toBeGreaterThan(30_000);
  });
});
