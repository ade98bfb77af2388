import { describe, expect, it } from 'vitest';
import { OptionError } from '../../src/core/errors.js';
import {
  MAX_DURATION_MS,
  booleanOption,
  choiceOption,
  durationOption,
  functionOption,
  integerOption,
  nameOption,
  numberOption,
  objectOption,
  positiveOption,
  textOption,
  textsOption,
} from '../../src/core/validate.js';

const NO_NUMBERS = [NaN, Infinity, -Infinity, '5', '', null, undefined, true, [5], {}, 5n];

/** The message of the OptionError that the call throws. */
function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof OptionError && /^o\b/.test(error.option)) return error.message;
    throw error;
  }
  throw new Error('was accepted');
}

describe('validate', () => {
  it('numbers: within the range, its ends included', () => {
    expect([1, 1.5, 2].map((value) => numberOption('o', value, { min: 1, max: 2 }))).toEqual([
      1, 1.5, 2,
    ]);
    expect(numberOption('o', 1e300, { min: 0 })).toBe(1e300);
    for (const value of [0.99, 2.01, ...NO_NUMBERS]) {
      expect(refusal(() => numberOption('o', value, { min: 1, max: 2 }))).toContain(
        'o must be a number from 1 to 2, got ',
      );
    }
    expect(refusal(() => numberOption('o', -1, { min: 0 }))).toBe(
      'o must be a number from 0 or more, got -1',
    );
  });

  it('positive numbers: above 0, up to the maximum', () => {
    expect([5e-324, 3].map((value) => positiveOption('o', value, 3))).toEqual([5e-324, 3]);
    for (const value of [0, -0, -1, 3.1, ...NO_NUMBERS]) {
      expect(refusal(() => positiveOption('o', value, 3))).toContain(
        'o must be a number above 0 and up to 3, got ',
      );
    }
    expect(refusal(() => positiveOption('o', 0))).toBe('o must be a number above 0, got 0');
  });

  it('integers: within the range, whole and safe', () => {
    expect([1, 2].map((value) => integerOption('o', value, { min: 1, max: 2 }))).toEqual([1, 2]);
    expect(integerOption('o', Number.MAX_SAFE_INTEGER, { min: 1 })).toBe(Number.MAX_SAFE_INTEGER);
    for (const value of [0, 3, 1.5, 2 ** 53, ...NO_NUMBERS]) {
      expect(refusal(() => integerOption('o', value, { min: 1, max: 2 }))).toContain(
        'o must be a whole number from 1 to 2, got ',
      );
    }
    expect(refusal(() => integerOption('o', 2 ** 53, { min: 1 }))).toContain('from 1 or more, got');
  });

  it('durations: what a timer can hold', () => {
    expect(MAX_DURATION_MS).toBe(2 ** 31 - 1);
    expect([1, 1.5, MAX_DURATION_MS].map((value) => durationOption('o', value))).toEqual([
      1,
      1.5,
      MAX_DURATION_MS,
    ]);
    expect(durationOption('o', 0, 0)).toBe(0);
    for (const value of [0, -1, 2 ** 31, ...NO_NUMBERS]) {
      expect(refusal(() => durationOption('o', value))).toContain(
        'o must be a number from 1 to 2147483647, got ',
      );
    }
  });

  it('choices: one of the words', () => {
    expect(choiceOption('o', 'b', ['a', 'b'])).toBe('b');
    for (const value of ['c', 'A', '', 'toString', null, undefined, 0, ['a']]) {
      expect(refusal(() => choiceOption('o', value, ['a', 'b']))).toContain(
        'o must be one of "a", "b", got ',
      );
    }
  });

  it('functions, booleans, objects', () => {
    const run = () => {};
    expect(functionOption('o', run)).toBe(run);
    expect(refusal(() => functionOption('o', {}))).toBe(
      'o must be a function, got an object of Object',
    );
    expect([true, false].map((value) => booleanOption('o', value))).toEqual([true, false]);
    for (const value of ['false', 'true', 0, 1, null, undefined]) {
      expect(refusal(() => booleanOption('o', value))).toContain('o must be true or false, got ');
    }
    const options = {};
    expect(objectOption('o', options)).toBe(options);
    for (const value of [null, [], 'x', 5, run]) {
      expect(refusal(() => objectOption('o', value as unknown as object))).toContain(
        'o must be an object, got ',
      );
    }
  });

  it('texts, alone and in a list', () => {
    expect(textOption('o', 'x'.repeat(1024))).toHaveLength(1024);
    for (const value of ['', 'x'.repeat(1025), 5, null, undefined, ['x']]) {
      expect(refusal(() => textOption('o', value))).toContain(
        'o must be a text of 1 to 1024 characters, got ',
      );
    }
    const given = ['a', 'b'];
    expect(textsOption('o', given)).toEqual(given);
    expect(textsOption('o', given)).not.toBe(given);
    expect(refusal(() => textsOption('o', 'ab'))).toBe('o must be a list of texts, got "ab"');
    expect(refusal(() => textsOption('o', ['a', 5]))).toContain('o[1] must be a text');
  });

  it('names: what reason codes, metrics and keys can carry', () => {
    const good = ['a', '0', 'orders consumer', 'a.b_c-d', 'constructor', 'x'.repeat(64)];
    expect(good.map((name) => nameOption('o', name))).toEqual(good);
    const bad = ['', ' a', 'a ', 'a:b', 'a/b', 'a\n', 'é', '__proto__', '-a', 'a.', 'x'.repeat(65)];
    for (const name of [...bad, 5, null, undefined, ['a']]) {
      expect(refusal(() => nameOption('o', name))).toContain('o must be a name of 1 to 64 letters');
    }
  });
});
