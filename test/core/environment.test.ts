import { describe, expect, it } from 'vitest';
import {
  ENVIRONMENT,
  numberSetting,
  numberVariable,
  textSetting,
  textVariable,
} from '../../src/core/environment.js';

const keep = (option: string, value: unknown) => ({ option, value });

describe('environment', () => {
  it('an empty or blank variable counts as unset', () => {
    for (const text of [undefined, '', ' ', '\t\n']) {
      expect(textVariable({ HALE_HOST: text }, 'HALE_HOST')).toBeUndefined();
      expect(numberVariable({ HALE_PORT: text }, 'HALE_PORT')).toBeUndefined();
    }
    expect(textVariable({ HALE_HOST: ' ::1 ' }, 'HALE_HOST')).toBe('::1');
  });

  it('a value that is no text is refused, as a caller may give an environment of its own', () => {
    for (const value of [9400, true, {}]) {
      expect(() => numberVariable({ HALE_PORT: value } as never, 'HALE_PORT')).toThrow(
        'environment variable HALE_PORT (probes.port) must be a text, got',
      );
    }
  });

  it('numbers are plain decimals', () => {
    const read = (text: string) => numberVariable({ HALE_PORT: text }, 'HALE_PORT');
    expect(['0', '9400', ' 12.5 ', '007'].map(read)).toEqual([0, 9400, 12.5, 7]);
    for (const text of [
      '-1',
      '+1',
      '1e3',
      '0x10',
      '5s',
      '1.',
      '.5',
      '1,5',
      'NaN',
      'Infinity',
      '1 2',
    ]) {
      expect(() => read(text)).toThrow(
        `environment variable HALE_PORT (probes.port) must be a decimal number, got "${text}"`,
      );
    }
  });

  it('a setting is the variable, or else the option, each under its own name', () => {
    expect(numberSetting({}, 'HALE_PORT', 1, keep)).toEqual({ option: 'probes.port', value: 1 });
    expect(numberSetting({ HALE_PORT: '0' }, 'HALE_PORT', 1, keep)).toEqual({
      option: 'environment variable HALE_PORT (probes.port)',
      value: 0,
    });
    expect(textSetting({}, 'HALE_HOST', 'a', keep)).toEqual({ option: 'probes.host', value: 'a' });
    expect(textSetting({ HALE_HOST: 'b' }, 'HALE_HOST', 'a', keep)).toEqual({
      option: 'environment variable HALE_HOST (probes.host)',
      value: 'b',
    });
  });

  it('every variable starts with HALE_ and overrides an option of its own', () => {
    const names = Object.keys(ENVIRONMENT);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !/^HALE_[A-Z_]+$/.test(name))).toEqual([]);
    expect(new Set(Object.values(ENVIRONMENT)).size).toBe(names.length);
  });
});
