/** How often values fell between bounds, as plain data. */
export interface HistogramView {
  /** Values at or below each bound and above the one before, not cumulative; the last entry counts those above all bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Counts values between fixed bounds; readers take nothing away. */
export interface Histogram {
  record(value: number): void;
  view(): HistogramView;
}

/** Creates an empty histogram with these upper bounds, in ascending order. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = [...bounds.map(() => 0), 0];
  let sum = 0;
  return {
    record(value) {
      const index = bucketOf(bounds, value);
      counts[index] = (counts[index] ?? 0) + 1;
      sum += value;
    },
    view: () => ({ counts: [...counts], sum }),
  };
}

/** The place of a value in {@link HistogramView.counts}. */
export function bucketOf(bounds: readonly number[], value: number): number {
  const index = bounds.findIndex((bound) => value <= bound);
  return index === -1 ? bounds.length : index;
}

/** How many values there were. */
export function histogramCount({ counts }: HistogramView): number {
  return counts.reduce((total, each) => total + each, 0);
}

/** The cumulative count at each bound and, at `+Inf`, of all, as Prometheus counts. */
export function cumulative(
  bounds: readonly number[],
  { counts }: HistogramView,
): readonly { readonly le: number; readonly count: number }[] {
  let total = 0;
  return [...bounds, Infinity].map((le, index) => {
    total += counts[index] ?? 0;
    return { le, count: total };
  });
}
