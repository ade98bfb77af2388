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

it('H1: an answer is as old as its question: a process that was frozen in between has seen no silence', () => {
  const sightings = new Sightings();
  sightings.ageMs('a', '1', 100);
  expect(sightings.ageMs('a', '1', 60_000, 150)).toBe(50);
  expect(sightings.ageMs('a', '1', 60_010, 60_001)).toBe(59_901);
  // What is new was there at the answer at the latest.
  expect(sightings.ageMs('a', '2', 70_000, 65_000)).toBe(0);
  expect(sightings.ageMs('a', '2', 70_100)).toBe(100);
});
