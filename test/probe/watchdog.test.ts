import { describe, expect, it } from 'vitest';
import { createBoard } from '../../src/core/board.js';
import { createWatchdog, longestStepMs, nextLookMs, tickMs } from '../../src/probe/watchdog.js';

describe('the pace of the watch', () => {
  it.each([
    [1000, 100, 500],
    [3000, 300, 750],
    [5000, 500, 1250],
    [600_000, 500, 1250],
  ])(
    'L3 L9: for a bound of %i ms looks every %i ms and takes %i ms for a pause',
    (bound, tick, step) => {
      expect(tickMs(bound)).toBe(tick);
      expect(longestStepMs(bound)).toBe(step);
    },
  );

  it.each([
    [0, 501],
    [2, 499],
    [499, 2],
    [10_100, 401],
    [-3, 501],
  ])('L3: %i ms after a beat the next look is due in %i ms, just after a beat', (since, wait) => {
    expect(nextLookMs(500, since)).toBe(wait);
  });

  it('L9: at the default bound three pauses of a minute in a row are no stall, a stall after them is', () => {
    const board = createBoard();
    const watchdog = createWatchdog({
      board,
      stallAfterMs: 5000,
      beatMs: 0,
      watchesLoop: true,
      now: 0,
    });
    for (const now of [60_000, 120_000, 180_000]) watchdog.look(now);
    expect(watchdog.loopStalled()).toBe(false);
    expect(watchdog.pausedMs()).toBe(3 * (60_000 - 500));
    for (let now = 180_500; now <= 183_000; now += 500) watchdog.look(now);
    expect(watchdog.loopStalled()).toBe(false);
    watchdog.look(183_500);
    expect(watchdog.loopStalled()).toBe(true);
  });

  it('L8: a block that begins just before the next beat is due still gets its whole bound', () => {
    const board = createBoard();
    const watchdog = createWatchdog({
      board,
      stallAfterMs: 5000,
      beatMs: 250,
      watchesLoop: true,
      now: 0,
    });
    for (let now = 250; now <= 5000; now += 250) watchdog.look(now);
    // Blocked at 249, so for 4,751 ms; the last beat is 5,000 ms old.
    expect(watchdog.loopStalled()).toBe(false);
    watchdog.look(5250);
    expect(watchdog.loopStalled()).toBe(true);
  });

  it('L9: at the shortest bound, pauses in a row between which nothing but the watcher got to run are no stall', () => {
    const board = createBoard();
    const watchdog = createWatchdog({
      board,
      stallAfterMs: 1000,
      beatMs: 100,
      watchesLoop: true,
      now: 0,
    });
    watchdog.watch([{ slot: 0, name: 'part', stallAfterMs: 1000 }], 0);
    for (const now of [700, 1650, 2750, 3700, 6700]) watchdog.look(now);
    expect(watchdog.loopStalled()).toBe(false);
    expect(watchdog.stalledProgress()).toEqual([]);
  });

  it('L9: a pause does not stall a part whose bound is shorter than that of the loop', () => {
    const board = createBoard();
    const watchdog = createWatchdog({
      board,
      stallAfterMs: 5000,
      beatMs: 100,
      watchesLoop: true,
      now: 0,
    });
    const part = { slot: 0, name: 'part', stallAfterMs: 1000 };
    watchdog.watch([part], 0);
    for (const now of [500, 1600, 3_600_000]) watchdog.look(now);
    // 500 ms without a beat; each pause counts for 100.
    expect(watchdog.stalledProgress()).toEqual([]);
    board.beatProgress(0, 3_600_000);
    for (const now of [3_600_100, 3_601_200, 3_602_400, 3_603_500]) watchdog.look(now);
    expect(watchdog.stalledProgress()).toEqual([]);
    for (const now of [3_604_000, 3_604_500]) watchdog.look(now);
    expect(watchdog.stalledProgress()).toEqual(['part']);
  });
});
