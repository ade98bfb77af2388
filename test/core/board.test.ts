import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROGRESS_SLOTS, createBoard } from '../../src/core/board.js';
import type { Phase } from '../../src/core/phase.js';

describe('board', () => {
  it('L8: begins starting, with nothing beaten, evaluated or in flight', () => {
    const board = createBoard();
    expect(board.phase()).toBe('starting');
    expect([
      board.inFlight(),
      board.loopBeatAt(),
      board.evaluatedAt(),
      board.pausedMs(),
      board.progressAt(0),
      board.progressAt(PROGRESS_SLOTS - 1),
    ]).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('L8: what one view writes, another view of the same memory reads', () => {
    const main = createBoard();
    const probe = createBoard(main.buffer);
    main.setPhase('draining');
    main.setInFlight(17);
    main.beatLoop(1.5);
    main.setEvaluatedAt(2.5);
    main.beatProgress(0, 3.5);
    main.beatProgress(PROGRESS_SLOTS - 1, 4.5);
    probe.setPausedMs(5.5);
    expect(probe.phase()).toBe('draining');
    expect(probe.inFlight()).toBe(17);
    expect(probe.loopBeatAt()).toBe(1.5);
    expect(probe.evaluatedAt()).toBe(2.5);
    expect(probe.progressAt(0)).toBe(3.5);
    expect(probe.progressAt(PROGRESS_SLOTS - 1)).toBe(4.5);
    expect(main.pausedMs()).toBe(5.5);
    expect(probe.buffer).toBe(main.buffer);
  });

  it('L8: two boards of their own share nothing', () => {
    const one = createBoard();
    createBoard().beatLoop(5);
    expect(one.loopBeatAt()).toBe(0);
  });

  it('L8: holds each phase', () => {
    const board = createBoard();
    const phases: readonly Phase[] = ['starting', 'running', 'draining', 'stopped'];
    const read = phases.map((phase) => {
      board.setPhase(phase);
      return board.phase();
    });
    expect(read).toEqual(phases);
  });

  it('L3: times are precise to a microsecond for centuries', () => {
    const board = createBoard();
    fc.assert(
      fc.property(fc.double({ min: 0, max: 4e12, noNaN: true }), (now) => {
        board.beatLoop(now);
        expect(Math.abs(board.loopBeatAt() - now)).toBeLessThanOrEqual(0.0006);
      }),
    );
    board.beatLoop(1234.567_89);
    expect(board.loopBeatAt()).toBe(1234.568);
  });

  it('L4: every field and slot has memory of its own', () => {
    const board = createBoard();
    board.beatLoop(1);
    board.setEvaluatedAt(2);
    board.setPausedMs(3);
    for (let slot = 0; slot < PROGRESS_SLOTS; slot += 1) board.beatProgress(slot, 10 + slot);
    expect([board.loopBeatAt(), board.evaluatedAt(), board.pausedMs()]).toEqual([1, 2, 3]);
    const read = Array.from({ length: PROGRESS_SLOTS }, (_, slot) => board.progressAt(slot));
    expect(read).toEqual(Array.from({ length: PROGRESS_SLOTS }, (_, slot) => 10 + slot));
  });

  it('L4: a slot that does not exist beats for nobody', () => {
    const board = createBoard();
    for (const slot of [-1, -6, -8, PROGRESS_SLOTS]) {
      expect(() => board.beatProgress(slot, 99)).toThrow(RangeError);
      expect(() => board.progressAt(slot)).toThrow(RangeError);
    }
    expect([board.loopBeatAt(), board.evaluatedAt(), board.pausedMs()]).toEqual([0, 0, 0]);
  });

  it('L8: refuses memory too small for it', () => {
    expect(() => createBoard(new SharedArrayBuffer(64))).toThrow(RangeError);
  });
});
