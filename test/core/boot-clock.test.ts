import { describe, expect, it } from 'vitest';
import { createBootClock } from '../../src/core/boot-clock.js';

describe('boot clock', () => {
  it('H3: time in which the machine was suspended counts as elapsed, once', () => {
    let monotonic = 5000;
    let uptimeMs = 90_000;
    const clock = createBootClock({ now: () => monotonic, uptimeMs: () => uptimeMs });
    expect(clock.now()).toBe(5000);
    monotonic += 1000;
    uptimeMs += 1000 + 20_000;
    expect(clock.now()).toBe(26_000);
    monotonic += 1000;
    uptimeMs += 1000;
    expect(clock.now()).toBe(27_000);
    expect(clock.suspendedMs).toBe(20_000);
  });

  it('half a second is the coarseness of the clocks, and time never goes back', () => {
    let uptimeMs = 0;
    const clock = createBootClock({ now: () => 1000, uptimeMs: () => uptimeMs });
    uptimeMs = 500;
    expect(clock.now()).toBe(1000);
    uptimeMs = -10_000;
    expect(clock.now()).toBe(1000);
    expect(clock.suspendedMs).toBe(0);
  });
});
