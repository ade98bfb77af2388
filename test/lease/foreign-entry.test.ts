import { expect, it } from 'vitest';
import { ForeignEntry, readable } from '../../src/lease/foreign-entry.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

const call = () => ({ clock: createManualClock(), signal: new AbortController().signal });

it('H7: what is no lease is told by 200 characters of its key at most, and the others are read', () => {
  const told: string[] = [];
  const long = 'k'.repeat(5000);
  const read = (name: string) => {
    if (name === long) throw new ForeignEntry('memory', name);
    return name === 'free' ? undefined : { name };
  };
  const names = ['b', long, 'free', 'a'];
  const found = readable(names, read, { ...call(), onForeign: (key) => void told.push(key) });
  expect(found).toEqual([{ name: 'a' }, { name: 'b' }]);
  expect(told).toEqual(['k'.repeat(200)]);
  expect(new ForeignEntry('memory', long).message.length).toBeLessThan(300);
});

it('H7: an error that is no foreign entry hides nothing: the list fails', () => {
  const fail = () => {
    throw new Error('connection lost');
  };
  expect(() => readable([1], fail, call())).toThrow('connection lost');
});
