import { describe, expect, it } from 'vitest';
import { createRestarts } from '../../src/probe/restarts.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

describe('restarting the thread', () => {
  it('E5: waits longer each time and gives up in the end', () => {
    const restarts = createRestarts(createManualClock());
    const delays = Array.from({ length: 7 }, () => restarts.nextDelayMs());
    expect(delays).toStrictEqual([100, 200, 400, 800, 1600, 3200, undefined]);
  });

  it('E5: a thread that ran for a minute starts a new count', () => {
    const clock = createManualClock();
    const restarts = createRestarts(clock);
    restarts.nextDelayMs();
    restarts.nextDelayMs();
    clock.jump(60_001);
    expect(restarts.nextDelayMs()).toBe(100);
  });
});
