import { describe, expect, it } from 'vitest';
import { type Phase, advancePhase, phaseAt, phaseIndex } from '../../src/core/phase.js';

const ORDER: readonly Phase[] = ['starting', 'running', 'draining', 'stopped'];

describe('phase', () => {
  it('D1: only ever moves forward', () => {
    for (const [i, from] of ORDER.entries()) {
      for (const [j, to] of ORDER.entries()) {
        expect(advancePhase(from, to)).toBe(ORDER[Math.max(i, j)]);
      }
    }
  });

  it('D1: survives the board as a number', () => {
    expect(ORDER.map(phaseIndex)).toEqual([0, 1, 2, 3]);
    expect(ORDER.map(phaseIndex).map(phaseAt)).toEqual(ORDER);
  });

  it('D1: an unknown number reads as stopped, the safe end', () => {
    expect([-1, 4, 1.5, NaN].map(phaseAt)).toEqual(['stopped', 'stopped', 'stopped', 'stopped']);
  });
});
