import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBoard } from '../../src/core/board.js';
import { DEADLINE_CELL_BYTES, createDeadlineCell } from '../../src/core/deadline-cell.js';

const newCell = () => createDeadlineCell(new SharedArrayBuffer(DEADLINE_CELL_BYTES));

describe('deadline cell', () => {
  it('H3: what the main thread writes is seen at once by another view of the board', () => {
    const main = createBoard();
    const watcher = createBoard(main.buffer).leaseDeadline;
    expect(watcher.read().kind).toBe('none');
    main.leaseDeadline.set({ at: 29_200.125, bootAheadMs: 5000.5 }, 'orders');
    expect(watcher.read()).toMatchObject({
      kind: 'set',
      deadline: { at: 29_200.125, bootAheadMs: 5000.5 },
    });
    expect(watcher.lease()).toBe('orders');
    main.leaseDeadline.clear();
    expect(watcher.read().kind).toBe('none');
    main.leaseDeadline.close();
    expect(watcher.read().kind).toBe('closed');
  });

  it('is a part of the board that nothing else writes', () => {
    const board = createBoard();
    board.leaseDeadline.set({ at: 1e12, bootAheadMs: -1e9 }, 'x'.repeat(500));
    expect(board.loopDelays().sum).toBe(0);
    expect([board.loopBeatAt(), board.progressAt(127)]).toEqual([0, 0]);
    board.recordLoopDelay(1e6);
    board.beatProgress(127, 77);
    expect(board.leaseDeadline.read()).toMatchObject({ deadline: { at: 1e12, bootAheadMs: -1e9 } });
  });

  it('cuts a long name, and forgets the one before', () => {
    const cell = newCell();
    cell.set({ at: 1, bootAheadMs: 0 }, 'é'.repeat(100));
    expect(cell.lease()).toBe('é'.repeat(64));
    cell.set({ at: 1, bootAheadMs: 0 }, 'b');
    expect(cell.lease()).toBe('b');
  });

  it('any time is a deadline to the microsecond; one before the clock began is past, not none', () => {
    const cell = newCell();
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 4e12, noNaN: true }), (at) => {
        cell.set({ at, bootAheadMs: 0 }, 'a');
        const deadline = { at: expect.closeTo(Math.max(0.001, at), 2), bootAheadMs: 0 };
        expect(cell.read()).toMatchObject({ kind: 'set', deadline });
      }),
    );
  });

  it('sleeps while nothing changes, and not at all when something has', () => {
    const cell = newCell();
    const { mark } = cell.read();
    cell.wait(mark, 1);
    cell.set({ at: 5, bootAheadMs: 0 }, 'a');
    // Would sleep for ever.
    cell.wait(mark, Infinity);
    expect(cell.read().kind).toBe('set');
  });
});
