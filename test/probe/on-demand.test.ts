import { describe, expect, it } from 'vitest';
import { createOnDemand } from '../../src/probe/on-demand.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

describe('waiting for on-demand checks', () => {
  it('C6: a thousand probes at once cause one evaluation', async () => {
    const clock = createManualClock();
    let runs = 0;
    const wait = createOnDemand({
      clock,
      waitMs: 1500,
      async evaluate() {
        runs += 1;
      },
    });
    await Promise.all(Array.from({ length: 1000 }, wait));
    expect(runs).toBe(1);
    expect(clock.pendingTimers).toBe(0);
    await wait();
    expect(runs).toBe(2);
  });

  it('C6: each probe waits only so long, and the evaluation under way is not started again', async () => {
    const clock = createManualClock();
    let runs = 0;
    const wait = createOnDemand({
      clock,
      waitMs: 1500,
      evaluate() {
        runs += 1;
        return new Promise(() => {});
      },
    });
    let settled = 0;
    for (let probe = 0; probe < 3; probe += 1) {
      void wait().then(() => {
        settled += 1;
      });
      await clock.advance(1000);
    }
    expect(settled).toBe(2);
    expect(runs).toBe(1);
  });

  it('C4: an evaluation that fails lets the probe decide on what is known', async () => {
    const wait = createOnDemand({
      clock: createManualClock(),
      waitMs: 1500,
      evaluate: () => Promise.reject(new Error('broken')),
    });
    await expect(wait()).resolves.toBeUndefined();
  });
});
