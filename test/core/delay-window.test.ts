import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDelayWindow } from '../../src/core/delay-window.js';

describe('createDelayWindow', () => {
  it('is zero before the first sample', () => {
    const empty = { maxMs: 0, meanMs: 0, p99Ms: 0 };
    expect(createDelayWindow(10, 100).summary(0)).toEqual(empty);
  });

  it('counts a late tick for the ticks it swallowed', () => {
    const window = createDelayWindow(100, 100);
    window.record(250);
    // 250, 150 and 50, and 0 for the tick that is not late yet.
    expect(window.summary(0)).toEqual({ maxMs: 250, meanMs: 112.5, p99Ms: 250 });
  });

  it('counts a delay that is still going on, without keeping it', () => {
    const window = createDelayWindow(100, 100);
    window.record(0);
    expect(window.summary(400).maxMs).toBe(400);
    expect(window.summary(-30).maxMs).toBe(0);
  });

  it('forgets a stall after the window, no earlier and no later', () => {
    const window = createDelayWindow(10, 100);
    window.record(90);
    for (let tick = 0; tick < 8; tick += 1) window.record(0);
    expect(window.summary(0).maxMs).toBe(90);
    window.record(0);
    expect(window.summary(0).maxMs).toBe(0);
  });

  it('keeps the latest of more ticks than it holds', () => {
    const window = createDelayWindow(4, 100);
    window.record(10_000);
    expect(window.summary(0)).toEqual({ maxMs: 9_900, meanMs: 7_350, p99Ms: 9_900 });
  });

  it('readers never change what the next reader sees; figures are ordered and bounded', () => {
    const delays = fc.array(fc.double({ min: -5, max: 5_000, noNaN: true }), { maxLength: 50 });
    fc.assert(
      fc.property(delays, fc.double({ min: -100, max: 1_000, noNaN: true }), (all, pending) => {
        const window = createDelayWindow(30, 100);
        for (const each of all) window.record(each);
        const first = window.summary(pending);
        expect(window.summary(pending)).toEqual(first);
        expect(first.p99Ms).toBeLessThanOrEqual(first.maxMs);
        expect(first.meanMs).toBeLessThanOrEqual(first.maxMs + 1e-9);
        expect(first.maxMs).toBeLessThanOrEqual(Math.max(0, pending, ...all));
      }),
    );
  });
});
