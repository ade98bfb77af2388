import { describe, expect, it } from 'vitest';
import { timeoutProblem, timeoutsFor } from '../../src/core/server-timeouts.js';

const DEFAULT = { keepAliveTimeout: 5000, headersTimeout: 60_000 };

describe('server timeouts (case 23)', () => {
  it('D3: idle connections outlive those of the load balancer, headers outlive both', () => {
    expect(timeoutsFor(60_000, DEFAULT)).toEqual({
      keepAliveTimeout: 65_000,
      headersTimeout: 66_000,
    });
    expect(timeoutsFor(3_600_000, DEFAULT)).toEqual({
      keepAliveTimeout: 3_605_000,
      headersTimeout: 3_606_000,
    });
  });

  it('D3: what is long enough, or never times out, stays', () => {
    const long = { keepAliveTimeout: 90_000, headersTimeout: 120_000 };
    expect(timeoutsFor(60_000, long)).toEqual(long);
    expect(timeoutProblem(60_000, long)).toBeUndefined();
    const never = { keepAliveTimeout: 0, headersTimeout: 0 };
    expect(timeoutsFor(60_000, never)).toEqual(never);
    expect(timeoutsFor(60_000, { ...DEFAULT, keepAliveTimeout: 0 }).headersTimeout).toBe(60_000);
  });

  it('D3: a problem names the fix', () => {
    expect(timeoutProblem(60_000, DEFAULT)).toBe(
      'the server closes idle connections before the load balancer does (60000 ms), which the balancer answers with 502; set server.keepAliveTimeout = 65000 (is 5000) and server.headersTimeout = 66000 (is 60000)',
    );
    expect(timeoutProblem(1000, { keepAliveTimeout: 6000, headersTimeout: 6000 })).toContain(
      'set server.headersTimeout = 7000 (is 6000)',
    );
  });
});
