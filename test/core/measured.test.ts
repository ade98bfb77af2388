import { describe, expect, it } from 'vitest';
import { nextMeasured } from '../../src/core/measured.js';

describe('the number of a check for metrics', () => {
  it('O1: is there from the first number on, and gone while a run sees none', () => {
    expect(nextMeasured(undefined, {})).toBeUndefined();
    expect(nextMeasured(undefined, { observedValue: { open: 3 } })).toBeUndefined();
    const first = nextMeasured(undefined, { observedValue: 3, observedUnit: 'days' });
    expect(first).toStrictEqual({ unit: 'days', value: 3 });
    expect(nextMeasured(first, {})).toStrictEqual({ unit: 'days' });
    expect(
      nextMeasured({ unit: 'days' }, { observedValue: 2, observedUnit: 'days' }),
    ).toStrictEqual({ unit: 'days', value: 2 });
    expect(nextMeasured(undefined, { observedValue: 3 })).toStrictEqual({ unit: '', value: 3 });
  });

  it('O1: a thousand units make one series', () => {
    let measured = nextMeasured(undefined, { observedValue: 1, observedUnit: 'unit-0' });
    for (let index = 1; index <= 1000; index += 1)
      measured = nextMeasured(measured, { observedValue: 1, observedUnit: `unit-${index}` });
    expect(measured).toStrictEqual({ unit: 'unit-0' });
  });
});
