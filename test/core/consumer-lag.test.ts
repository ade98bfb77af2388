import { describe, expect, it } from 'vitest';
import { type PartitionPosition, initialLag, sampleLag } from '../../src/core/consumer-lag.js';

const rule = { fromBeginning: false, toleratedLag: 0 };

const at = (partition: string, committed: number | undefined, high: number, low = 0) =>
  ({ partition, committed, high, low }) satisfies PartitionPosition;

/** The finding after samples, each with its time. */
function after(samples: readonly [PartitionPosition[], number][], options = rule) {
  let state = initialLag;
  let found = sampleLag(state, [], 0, options).finding;
  for (const [positions, now] of samples) {
    const sampled = sampleLag(state, positions, now, options);
    state = sampled.state;
    found = sampled.finding;
  }
  return found;
}

describe('the lag of a consumer', () => {
  it('is what is left in all partitions', () => {
    expect(after([[[at('a', 7, 10), at('b', 10, 10), at('c', 0, 5)], 0]])).toMatchObject({
      lag: 8,
    });
    expect(after([])).toEqual({ lag: 0, stalledMs: 0, stalled: undefined });
  });

  it('does not count what retention has removed', () => {
    expect(after([[[at('a', 5, 30, 20)], 0]])).toMatchObject({ lag: 10 });
    expect(after([[[at('a', 30, 30, 30)], 0]])).toMatchObject({ lag: 0 });
  });

  it('counts a partition without a commit only where it is read from the beginning', () => {
    const positions = [at('a', undefined, 10, 4)];
    expect(after([[positions, 0]])).toMatchObject({ lag: 0 });
    expect(after([[positions, 0]], { ...rule, fromBeginning: true })).toMatchObject({ lag: 6 });
  });

  it('tolerates the marker of a transaction', () => {
    const tolerant = { ...rule, toleratedLag: 1 };
    const samples = [
      [[at('a', 9, 10)], 0],
      [[at('a', 9, 10)], 5000],
    ] as [PartitionPosition[], number][];
    expect(after(samples, tolerant)).toMatchObject({ lag: 0, stalledMs: 0 });
    expect(after(samples)).toMatchObject({ lag: 1, stalledMs: 5000 });
    expect(after([[[at('a', 8, 10)], 0]], tolerant)).toMatchObject({ lag: 2 });
  });
});

describe('the progress of a consumer', () => {
  it('stands still while something is left and the offset does not move', () => {
    expect(
      after([
        [[at('a', 5, 10), at('b', 3, 10)], 0],
        [[at('a', 6, 10), at('b', 3, 20)], 1000],
        [[at('a', 6, 10), at('b', 3, 20)], 4000],
      ]),
    ).toEqual({ lag: 21, stalledMs: 4000, stalled: 'b' });
  });

  it('counts from when something was left, not from when the last message came', () => {
    const idle = [[at('a', 10, 10)], 0] as [PartitionPosition[], number];
    const arrived = [[at('a', 10, 12)], 60_000] as [PartitionPosition[], number];
    expect(after([idle, arrived])).toMatchObject({ lag: 2, stalledMs: 0 });
    expect(after([idle, arrived, [[at('a', 10, 12)], 61_000]])).toMatchObject({ stalledMs: 1000 });
  });

  it('forgets a partition that another member has taken meanwhile', () => {
    expect(
      after([
        [[at('a', 5, 10)], 0],
        [[], 1000],
        [[at('a', 5, 10)], 2000],
      ]),
    ).toMatchObject({ lag: 5, stalledMs: 0 });
  });
});
