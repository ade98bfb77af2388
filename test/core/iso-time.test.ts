import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTime, parseIsoTime } from '../../src/core/iso-time.js';

const LAST_MS = 8.64e15;

describe('ISO 8601 times', () => {
  it('E2: are those of a Date, for every instant it can hold', () => {
    const instant = fc.oneof(
      fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
      fc.double({ min: -LAST_MS, max: LAST_MS, noNaN: true }),
      fc.constantFrom(0, -1, -0.5, 59_999, 60_000, -60_000, LAST_MS, -LAST_MS),
    );
    fc.assert(
      fc.property(fc.array(instant, { maxLength: 50 }), (instants) => {
        for (const ms of instants) expect(isoTime(ms)).toBe(new Date(ms).toISOString());
      }),
    );
  });

  it('E4: of more minutes than are remembered are right too', () => {
    for (let minute = 0; minute < 5000; minute += 1) isoTime(minute * 60_000 + 1234);
    expect(isoTime(1234)).toBe('1970-01-01T00:00:01.234Z');
    expect(parseIsoTime(isoTime(61_234))).toBe(61_234);
  });

  it.each([Number.NaN, Infinity, LAST_MS + 1, -LAST_MS - 1])('refuse %d', (ms) => {
    expect(() => isoTime(ms)).toThrow(RangeError);
  });
});
