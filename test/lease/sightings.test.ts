import { expect, it } from 'vitest';
import { Sightings } from '../../src/lease/sightings.js';

it('H1: a record is as old as it is known to be unchanged', () => {
  const sightings = new Sightings();
  expect(sightings.ageMs('a', '1', 100)).toBe(0);
  expect(sightings.ageMs('a', '1', 150)).toBe(50);
  expect(sightings.ageMs('b', '1', 150)).toBe(0);
  expect(sightings.ageMs('a', '2', 160)).toBe(0);
  expect(sightings.ageMs('a', '1', 170)).toBe(0);
  sightings.keepOnly(new Set(['b']));
  expect(sightings.ageMs('a', '1', 200)).toBe(0);
  expect(sightings.ageMs('b', '1', 200)).toBe(50);
});
