import { describe, expect, it } from 'vitest';
import { reasonText } from '../../src/page/reason-text.js';
import {
  agoMs,
  bytes,
  duration,
  entriesOf,
  grownDuration,
  isoPlus,
  plural,
  shortValue,
  timeOfDay,
  wallMs,
} from '../../src/page/text.js';

describe('durations and sizes', () => {
  it.each([
    [0, '0 ms'],
    [0.42, '0.4 ms'],
    [12.4, '12 ms'],
    [1_340, '1.3 s'],
    [59_900, '59 s'],
    [60_000, '1 min'],
    [200_000, '3 min 20 s'],
    [7_260_000, '2 h 1 min'],
    [187_200_000, '2 d 4 h'],
  ])('%d ms reads as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('a duration that grows has whole seconds', () => {
    expect([0, 999, 1_900, 61_000].map(grownDuration)).toEqual(['0 s', '0 s', '1 s', '1 min 1 s']);
  });

  it.each([
    [17, '17 B'],
    [1_536, '1.5 KiB'],
    [187_000_000, '178 MiB'],
    [5_368_709_120, '5 GiB'],
    [2 ** 50, '1024 TiB'],
  ])('%d bytes read as %s', (count, text) => {
    expect(bytes(count)).toBe(text);
  });

  it('counts have their noun in the right number', () => {
    expect([plural(1, 'run'), plural(2, 'run')]).toEqual(['1 run', '2 runs']);
  });
});

describe('times', () => {
  it('have a date only when it is another day', () => {
    const at = '2026-11-30T03:12:41.000Z';
    expect(timeOfDay('2026-11-30T01:00:05.123Z', at)).toBe('01:00:05');
    expect(timeOfDay('2026-11-29T23:59:59.000Z', at)).toBe('2026-11-29 23:59:59');
    expect(isoPlus(at, 60_000)).toBe('2026-11-30T03:13:41.000Z');
  });

  it('are never in the future, and what is no time is the beginning of all', () => {
    expect(agoMs('2026-11-30T03:12:42.000Z', '2026-11-30T03:12:41.000Z')).toBe(0);
    expect(wallMs('<script>')).toBe(0);
    expect(isoPlus('<script>', 0)).toBe('1970-01-01T00:00:00.000Z');
  });
});

describe('values', () => {
  it.each([
    [undefined, '', ''],
    [null, '', ''],
    [12, 'days', '12 days'],
    [0.25, 'ratio', '25 %'],
    [1_048_576, 'bytes', '1 MiB'],
    ['open', '', 'open'],
    [['10.0.0.1', '10.0.0.2'], '', '10.0.0.1, 10.0.0.2'],
    [{ used: 3, max: 10, waiting: null }, 'connections', 'used 3 · max 10'],
    [
      { used: 1_048_576, total: 4_194_304, share: 0.25 },
      'bytes',
      'used 1 MiB · total 4 MiB · share 25 %',
    ],
    [{ lag: 4, stalledMs: 1_500 }, '', 'lag 4 · stalled 1.5 s'],
    [{ oldestAgeMs: 61_000, deep: { a: 1 } }, '', 'oldest age 1 min 1 s · deep a 1'],
  ])('%j in %j reads as %j', (value, unit, text) => {
    expect(shortValue(value, unit)).toBe(text);
  });

  it('only an object has fields', () => {
    expect(entriesOf([1])).toEqual([]);
    expect(entriesOf({ used: 3 }, 'connections')).toEqual([['used', '3']]);
  });
});

describe('reasons', () => {
  it.each([
    ['check_failed:database', '“database” fails'],
    ['check_failed:$&', '“$&” fails'],
    ['event_loop_stalled', 'the main loop is blocked'],
    ['stale', 'what is known is too old'],
    ['stale:cache', 'the result of “cache” is too old'],
    ['of_a_later_version:x', 'of_a_later_version:x'],
    ['constructor', 'constructor'],
  ])('%s reads as %s', (reason, text) => {
    expect(reasonText(reason)).toBe(text);
  });
});
