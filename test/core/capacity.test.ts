import { describe, expect, it } from 'vitest';
import { createCapacity, nextAtCapacity } from '../../src/core/capacity.js';

describe('capacity', () => {
  it('R8: leaves at one limit and re-enters at a lower one', () => {
    const capacity = createCapacity({ leaveAt: 10, reenterAt: 6 });
    let at = false;
    const seen = [9, 10, 9, 7, 6, 9, 10].map((count) => (at = nextAtCapacity(at, count, capacity)));
    expect(seen).toEqual([false, true, true, true, false, false, true]);
  });

  it('R8: re-enters at 80 % unless told otherwise, and refuses limits that would oscillate', () => {
    expect(createCapacity({ leaveAt: 100 })).toEqual({ leaveAt: 100, reenterAt: 80 });
    expect(createCapacity({ leaveAt: 1 })).toEqual({ leaveAt: 1, reenterAt: 0 });
    expect(() => createCapacity({ leaveAt: 10, reenterAt: 10 })).toThrow(
      'capacity.reenterAt must be below capacity.leaveAt (10), got 10',
    );
    expect(() => createCapacity({ leaveAt: 0 })).toThrow(
      'capacity.leaveAt must be a whole number from 1',
    );
  });
});
