import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type PoolLimits,
  type PoolSample,
  type PoolState,
  initialPoolState,
  judgePool,
} from '../../src/core/pool-rule.js';

const LIMITS: PoolLimits = {
  warnAbove: 0.85,
  noReturnFailMs: 30_000,
  maxWaiting: Infinity,
  maxWaitingSamples: 3,
};

type Step = PoolSample & { at: number };

const sample = (part: Partial<Step>): Step => ({
  at: 0,
  used: 10,
  max: 10,
  waiting: 0,
  lastReturnAt: undefined,
  ...part,
});

function judgeAll(steps: readonly Step[], limits = LIMITS) {
  let state: PoolState = initialPoolState;
  return steps.map((step) => {
    const judged = judgePool(state, step, step.at, limits);
    state = judged.state;
    return judged.finding;
  });
}

const last = (steps: readonly Step[], limits = LIMITS) => judgeAll(steps, limits).at(-1);

describe('judgePool', () => {
  it('C8: warns above 85 %, not at it', () => {
    expect(last([sample({ used: 8 })])).toEqual({ kind: 'ok' });
    expect(last([sample({ used: 17, max: 20 })])).toEqual({ kind: 'ok' });
    expect(last([sample({ used: 18, max: 20 })])).toEqual({ kind: 'busy' });
  });

  it('C8: a full pool with a queue only warns while connections come back', () => {
    const steps = Array.from({ length: 100 }, (_, i) =>
      sample({ at: i * 5_000, waiting: 50, lastReturnAt: i * 5_000 - 100 }),
    );
    expect(judgeAll(steps).every(({ kind }) => kind === 'busy')).toBe(true);
  });

  it('C8: fails once requests have waited for the whole time and nothing came back', () => {
    const steps = [0, 29_999, 30_000].map((at) => sample({ at, waiting: 1, lastReturnAt: -1 }));
    expect(judgeAll(steps)).toEqual([
      { kind: 'busy' },
      { kind: 'busy' },
      { kind: 'stuck', stuckMs: 30_000 },
    ]);
  });

  it('C8: an idle hour before the queue is no evidence against the pool', () => {
    const steps = [
      sample({ used: 0, lastReturnAt: 0 }),
      sample({ at: 3_600_000, waiting: 5, lastReturnAt: 0 }),
    ];
    expect(last(steps)).toEqual({ kind: 'busy' });
  });

  it('C8: without a queue a pool held for hours is busy, not stuck', () => {
    const steps = [0, 3_600_000].map((at) => sample({ at, lastReturnAt: -1 }));
    expect(last(steps)).toEqual({ kind: 'busy' });
  });

  it.each([
    ['a falling queue', { waiting: 4 }],
    ['a falling use', { used: 9 }],
  ])('C8: takes %s for a return when the driver does not tell', (_, change) => {
    const steps = [
      sample({ at: 0, waiting: 5 }),
      sample({ at: 29_000, waiting: 5, ...change }),
      sample({ at: 31_000, waiting: 5, ...change }),
    ];
    expect(last(steps)).toEqual({ kind: 'busy' });
    const unchanged = [steps[0] as Step, sample({ at: 31_000, waiting: 5 })];
    expect(last(unchanged)).toEqual({ kind: 'stuck', stuckMs: 31_000 });
  });

  it('C8: fails on a long queue only after several samples in a row', () => {
    const limits = { ...LIMITS, maxWaiting: 20 };
    const steps = [21, 21, 20, 21, 21, 21].map((waiting, at) =>
      sample({ at, waiting, lastReturnAt: at }),
    );
    expect(judgeAll(steps, limits).map(({ kind }) => kind)).toEqual([
      'busy',
      'busy',
      'busy',
      'busy',
      'busy',
      'queue_too_long',
    ]);
  });
});

describe('judgePool on any history', () => {
  const history = fc
    .array(
      fc.record({
        gap: fc.integer({ min: 0, max: 20_000 }),
        used: fc.integer({ min: 0, max: 12 }),
        waiting: fc.integer({ min: 0, max: 40 }),
        returned: fc.boolean(),
      }),
      { minLength: 1, maxLength: 40 },
    )
    .map((moves) => {
      let at = 0;
      let lastReturnAt = 0;
      return moves.map(({ gap, used, waiting, returned }) => {
        at += gap;
        if (returned) lastReturnAt = at;
        return sample({ at, used, waiting, lastReturnAt });
      });
    });

  it('C8: is never stuck without a queue, and never within noReturnFailMs of a return', () => {
    fc.assert(
      fc.property(history, (steps) => {
        judgeAll(steps).forEach((finding, i) => {
          const step = steps[i] as Step;
          if (finding.kind !== 'stuck') return;
          expect(step.waiting).toBeGreaterThan(0);
          expect(step.at - (step.lastReturnAt ?? 0)).toBeGreaterThanOrEqual(LIMITS.noReturnFailMs);
        });
      }),
    );
  });

  it('C8: a stuck pool is always found: waiting samples over the whole time and no return', () => {
    fc.assert(
      fc.property(history, fc.array(fc.integer({ min: 1, max: 9_000 })), (before, gaps) => {
        const start = (before.at(-1) as Step).at + 1;
        const from = sample({ at: start, waiting: 3, lastReturnAt: start });
        let at = start;
        const during = gaps.map((gap) => ({ ...from, at: (at += gap) }));
        const end = { ...from, at: Math.max(at, start + LIMITS.noReturnFailMs) };
        expect(last([...before, from, ...during, end])?.kind).toBe('stuck');
      }),
    );
  });

  it('C8: warns exactly above the share when it does not fail', () => {
    fc.assert(
      fc.property(history, (steps) => {
        judgeAll(steps).forEach((finding, i) => {
          if (finding.kind === 'stuck' || finding.kind === 'queue_too_long') return;
          const { used, max } = steps[i] as Step;
          expect(finding.kind).toBe(used / max > 0.85 ? 'busy' : 'ok');
        });
      }),
    );
  });
});
