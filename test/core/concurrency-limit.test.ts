import { describe, expect, it } from 'vitest';
import { createAimdLimit } from '../../src/core/concurrency-limit.js';

const quick = (inFlight: number) => ({ durationMs: 10, inFlight, failed: false });
const slow = (inFlight: number) => ({ durationMs: 500, inFlight, failed: false });

describe('AIMD limit', () => {
  it('R8: grows by one for a limit of quick requests, only while the limit is in use', () => {
    const limit = createAimdLimit({ latencyMs: 100, initial: 10 });
    for (let request = 0; request < 11; request += 1) limit.observe(quick(10));
    expect(limit.limit).toBe(11);
    for (let request = 0; request < 100; request += 1) limit.observe(quick(2));
    expect(limit.limit).toBe(11);
  });

  it('R8: shrinks once for a burst of slow or failed requests, never below its least', () => {
    const limit = createAimdLimit({ latencyMs: 100, initial: 100, min: 50 });
    for (let left = 100; left > 0; left -= 1) limit.observe(slow(left));
    expect(limit.limit).toBe(90);
    limit.observe({ ...quick(1), failed: true });
    expect(limit.limit).toBe(81);
    for (let request = 0; request < 100; request += 1) limit.observe(slow(1));
    expect(limit.limit).toBe(50);
  });

  it('R8: finds the capacity of a server that slows down beyond it', () => {
    const capacity = 40;
    const limit = createAimdLimit({ latencyMs: 200, initial: 10 });
    const seen: number[] = [];
    for (let round = 0; round < 400; round += 1) {
      const inFlight = limit.limit;
      const durationMs = 100 * Math.max(1, inFlight / capacity) ** 2;
      for (let request = 0; request < inFlight; request += 1)
        limit.observe({ durationMs, inFlight, failed: false });
      if (round > 200) seen.push(limit.limit);
    }
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(capacity);
    expect(Math.max(...seen)).toBeLessThanOrEqual(capacity * 1.5);
  });

  it.each([
    [{ latencyMs: 0 }, 'aimd.latencyMs must be a number above 0'],
    [{ latencyMs: 1, min: 0 }, 'aimd.min must be'],
    [{ latencyMs: 1, min: 5, max: 4 }, 'aimd.max must be at least aimd.min (5), got 4'],
    [{ latencyMs: 1, initial: 2000 }, 'aimd.initial must be'],
    [{ latencyMs: 1, backoff: 1 }, 'aimd.backoff must be'],
  ])('refuses %j', (options, message) => {
    expect(() => createAimdLimit(options)).toThrow(message);
  });
});
