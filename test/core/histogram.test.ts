import { describe, expect, it } from 'vitest';
import { createHistogram, cumulative, histogramCount } from '../../src/core/histogram.js';

describe('a histogram', () => {
  it('O1: counts a value at its bound below it, and above all bounds apart', () => {
    const histogram = createHistogram([1, 5]);
    for (const value of [0, 1, 1.1, 5, 6]) histogram.record(value);
    expect(histogram.view()).toStrictEqual({ counts: [2, 2, 1], sum: 13.1 });
    expect(histogramCount(histogram.view())).toBe(5);
  });

  it('O1: a view stays what it was', () => {
    const histogram = createHistogram([1]);
    const before = histogram.view();
    histogram.record(0.5);
    expect(before).toStrictEqual({ counts: [0, 0], sum: 0 });
  });

  it('O1: is told cumulatively, as Prometheus wants it', () => {
    expect(cumulative([1, 5], { counts: [2, 2, 1], sum: 0 })).toStrictEqual([
      { le: 1, count: 2 },
      { le: 5, count: 4 },
      { le: Infinity, count: 5 },
    ]);
  });
});
