import { describe, expect, it } from 'vitest';
import { createOnDemand } from '../../src/engine/on-demand.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

function setUp(ttlMs = 2000) {
  const clock = createManualClock();
  const state = { runs: 0, fails: false };
  const onDemand = createOnDemand({
    clock,
    run: async () => {
      state.runs += 1;
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, 100));
      if (state.fails) throw new Error('run');
      return ttlMs;
    },
  });
  return { clock, state, onDemand };
}

describe('on demand', () => {
  it('C6: a thousand who ask at once share one run', async () => {
    const { clock, state, onDemand } = setUp();
    const all = Promise.all(Array.from({ length: 1000 }, () => onDemand.evaluate()));
    await clock.advance(100);
    await all;
    expect(state.runs).toBe(1);
  });

  it('C6: a result is served for its TTL, counted from the end of the run', async () => {
    const { clock, state, onDemand } = setUp();
    const first = onDemand.evaluate();
    await clock.advance(100);
    await first;
    await clock.advance(1999);
    await onDemand.evaluate();
    expect(state.runs).toBe(1);
    await clock.advance(1);
    const second = onDemand.evaluate();
    await clock.advance(100);
    await second;
    expect(state.runs).toBe(2);
  });

  it('C6: a run that breaks is not cached, and the next one is its own', async () => {
    const { clock, state, onDemand } = setUp();
    state.fails = true;
    const failed = Promise.allSettled([onDemand.evaluate()]);
    await clock.advance(100);
    expect(await failed).toMatchObject([{ status: 'rejected', reason: { message: 'run' } }]);
    state.fails = false;
    const second = onDemand.evaluate();
    await clock.advance(100);
    await second;
    expect(state.runs).toBe(2);
  });
});
