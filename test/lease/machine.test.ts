import { describe, expect, it } from 'vitest';
import { parseTimeOffset, thisMachine } from '../../src/lease/machine.js';

describe('machine', () => {
  it('reads the offset of a time namespace, in milliseconds', () => {
    expect(parseTimeOffset('monotonic         0         0\nboottime  0 0')).toBe(0);
    expect(parseTimeOffset('monotonic       100 500000000\nboottime  0 0')).toBe(100_500);
    expect(parseTimeOffset('monotonic       -10 500000000')).toBe(-9500);
    expect(parseTimeOffset('')).toBe(0);
  });

  it('is the same for everyone on it', () => {
    expect(thisMachine()).toEqual(thisMachine());
    expect(typeof thisMachine().bootId).toBe('string');
  });
});
