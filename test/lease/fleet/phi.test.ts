import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDetector, silenceLimitMs } from '../../../src/lease/fleet/detector.js';
import { LearnedRhythm, MAX_PHI, deviationsAtPhi, phiOf } from '../../../src/lease/fleet/phi.js';

const TTL = 30_000;
const detector = createDetector();

function steady(intervalMs: number, beats: number): LearnedRhythm {
  const rhythm = new LearnedRhythm(10_000);
  for (let beat = 0; beat < beats; beat += 1) rhythm.learn(intervalMs);
  return rhythm;
}

describe('phiOf', () => {
  const tolerant = detector.tolerant(TTL, steady(10_000, 100));

  it('H7: at a heartbeat of 10 s reaches 8 after 25 s and 12 after 26 s', () => {
    const reached = (phi: number) => {
      let ms = 0;
      while (phiOf(ms, tolerant) < phi) ms += 10;
      return ms / 1000;
    };
    expect(Math.floor(reached(8))).toBe(25);
    expect(Math.floor(reached(12))).toBe(26);
    expect(tolerant).toEqual({ meanMs: 20_000, deviationMs: 1000 });
  });

  it('H7: begins at 0, not at −0, and ends at a cap, not at Infinity', () => {
    for (const ms of [0, -1, -1e9, -Infinity]) {
      expect(phiOf(ms, tolerant)).toBeCloseTo(0, 9);
      expect(Object.is(phiOf(ms, tolerant), -0)).toBe(false);
    }
    for (const ms of [41_000, 1e6, 1e12, Number.MAX_VALUE, Infinity])
      expect(phiOf(ms, tolerant)).toBe(MAX_PHI);
  });

  it('H7: never falls while the silence lasts', () => {
    const silence = fc.double({ min: 0, max: 1e7, noNaN: true });
    const rhythm = fc.record({
      meanMs: fc.double({ min: 1, max: 1e6, noNaN: true }),
      deviationMs: fc.double({ min: 1, max: 1e6, noNaN: true }),
    });
    fc.assert(
      fc.property(silence, silence, rhythm, (a, b, given) => {
        const [early, late] = [phiOf(Math.min(a, b), given), phiOf(Math.max(a, b), given)];
        expect(early).toBeLessThanOrEqual(late);
        expect(early).toBeGreaterThanOrEqual(0);
        expect(late).toBeLessThanOrEqual(MAX_PHI);
      }),
    );
  });

  it('H7: is turned around by deviationsAtPhi', () => {
    for (const phi of [0.1, 1, 8, 12, 50])
      expect(phiOf(deviationsAtPhi(phi), { meanMs: 0, deviationMs: 1 })).toBeCloseTo(phi, 6);
  });
});

describe('LearnedRhythm', () => {
  it('H7: begins with the estimate, give or take a quarter', () => {
    const rhythm = new LearnedRhythm(10_000);
    expect([rhythm.meanMs, rhythm.deviationMs]).toEqual([10_000, 2500]);
  });

  it('H7: is the mean and the deviation of the estimate and what was seen', () => {
    const rhythm = new LearnedRhythm(10_000);
    const all = [7500, 12_500, 9000, 11_000, 14_000];
    for (const interval of all.slice(2)) rhythm.learn(interval);
    const mean = all.reduce((sum, each) => sum + each, 0) / all.length;
    const variance = all.reduce((sum, each) => sum + (each - mean) ** 2, 0) / all.length;
    expect(rhythm.meanMs).toBeCloseTo(mean, 6);
    expect(rhythm.deviationMs).toBeCloseTo(Math.sqrt(variance), 6);
  });

  it('H7: follows an instance that changes its rhythm', () => {
    const rhythm = steady(10_000, 500);
    for (let beat = 0; beat < 500; beat += 1) rhythm.learn(5000);
    expect(rhythm.meanMs).toBeLessThan(5100);
  });
});

describe('createDetector', () => {
  it('H1: counts three missed heartbeats at the latest, before the registry gives the lease away', () => {
    expect(silenceLimitMs(TTL)).toBe(29_200);
    const uneven = new LearnedRhythm(10_000);
    for (const interval of [1000, 25_000, 1000, 25_000]) uneven.learn(interval);
    expect(detector.deadlines(TTL, uneven).downMs).toBe(29_200);
  });

  it('H7: suspects before it declares down, and calls late what is later than any heartbeat', () => {
    const { lateMs, suspectMs, downMs } = detector.deadlines(TTL, steady(10_000, 100));
    expect([lateMs, Math.floor(suspectMs / 1000), Math.floor(downMs / 1000)]).toEqual([
      15_000, 25, 26,
    ]);
  });

  it('H7: judges by fixed time-outs when asked to', () => {
    const fixed = createDetector({ kind: 'timeout' });
    const rhythm = new LearnedRhythm(10_000);
    expect(fixed.deadlines(TTL, rhythm)).toMatchObject({ suspectMs: 20_000, downMs: 29_200 });
    const own = createDetector({ kind: 'timeout', suspectAfterMs: 16_000, downAfterMs: 18_000 });
    expect(own.deadlines(TTL, rhythm)).toMatchObject({ suspectMs: 16_000, downMs: 18_000 });
  });

  it('H7: declares nobody down before half the ttl, whatever it was told', () => {
    const rhythm = steady(100, 500);
    const hasty = createDetector({ kind: 'phi', pauseMs: 0, minDeviationMs: 1 });
    expect(hasty.deadlines(TTL, rhythm).downMs).toBe(15_000);
    const fixed = createDetector({ kind: 'timeout', suspectAfterMs: 1, downAfterMs: 2 });
    expect(fixed.deadlines(TTL, rhythm).downMs).toBe(15_000);
  });

  it.each([
    [{ kind: 'ping' }, /fleet.detector.kind must be one of "phi", "timeout"/],
    [{ kind: 'phi', suspectPhi: 0 }, /fleet.detector.suspectPhi/],
    [{ kind: 'phi', downPhi: 7 }, /fleet.detector.downPhi must be a number from 8 to 90/],
    [{ kind: 'phi', pauseMs: -1 }, /fleet.detector.pauseMs/],
    [{ kind: 'phi', minDeviationMs: 0 }, /fleet.detector.minDeviationMs/],
    [{ kind: 'timeout', suspectAfterMs: 0 }, /fleet.detector.suspectAfterMs/],
    [{ kind: 'timeout', downAfterMs: 0 }, /fleet.detector.downAfterMs/],
    [
      { kind: 'timeout', suspectAfterMs: 2, downAfterMs: 1 },
      /fleet.detector.downAfterMs must be suspectAfterMs or more/,
    ],
  ])('refuses %o', (given, message) => {
    expect(() => createDetector(given as never)).toThrow(message);
  });
});
