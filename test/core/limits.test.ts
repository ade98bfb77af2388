import { describe, expect, it } from 'vitest';
import {
  amountsAbove,
  amountsBelow,
  limitsAbove,
  limitsBelow,
  statusAbove,
  statusBelow,
  worstStatus,
} from '../../src/core/limits.js';
import { createSingleFlight } from '../../src/core/single-flight.js';

const names = { warn: 'x.warn', fail: 'x.fail' };

describe('limits', () => {
  it('a limit itself is still good', () => {
    const limits = { warn: 10, fail: 20 };
    expect([10, 10.1, 20, 20.1].map((value) => statusAbove(value, limits))).toEqual([
      'pass',
      'warn',
      'warn',
      'fail',
    ]);
    const low = { warn: 20, fail: 10 };
    expect([20, 19.9, 10, 9.9].map((value) => statusBelow(value, low))).toEqual([
      'pass',
      'warn',
      'warn',
      'fail',
    ]);
  });

  it('the worst of several statuses wins', () => {
    expect(worstStatus([])).toBe('pass');
    expect(worstStatus(['warn', 'pass'])).toBe('warn');
    expect(worstStatus(['warn', 'fail', 'pass'])).toBe('fail');
  });

  it('failing never begins before warning', () => {
    expect(() => limitsAbove(names, { warn: 10, fail: 5 })).toThrow(
      'x.fail must be a number from 10 or more, got 5',
    );
    expect(() => limitsAbove(names, { warn: Infinity, fail: -1 })).toThrow('x.fail must be');
    expect(() => limitsAbove(names, { warn: Number.NaN, fail: 5 })).toThrow('x.warn must be');
    expect(() => limitsBelow(names, { warn: 5, fail: 10 })).toThrow(
      'x.fail must be at most x.warn (5), got 10',
    );
    expect(() => amountsAbove(names, { warn: '90%', fail: '80%' }, 1)).toThrow('x.fail');
    expect(() => amountsBelow(names, { warn: '10%', fail: '20%' }, 1)).toThrow('x.fail');
  });

  it('shares become amounts, Infinity or 0 is never, and a share and a number mix', () => {
    expect(amountsAbove(names, { warn: '50%', fail: 90 }, 100)).toEqual({ warn: 50, fail: 90 });
    expect(amountsAbove(names, { warn: Infinity, fail: Infinity }, 100).warn).toBe(Infinity);
    expect(amountsBelow(names, { warn: '10%', fail: 0 }, 100)).toEqual({ warn: 10, fail: 0 });
    expect(() => amountsAbove(names, { warn: '101%', fail: 5 }, 100)).toThrow('x.warn must be');
  });
});

describe('single flight', () => {
  it('shares work that is under way, also when it fails, and starts anew afterwards', async () => {
    const started: ((error?: Error) => void)[] = [];
    const call = createSingleFlight(
      () =>
        new Promise<void>((resolve, reject) => {
          started.push((error) => (error === undefined ? resolve() : reject(error)));
        }),
    );
    const [first, second] = [call(), call()];
    expect(started).toHaveLength(1);
    started[0]?.(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    await expect(second).rejects.toThrow('lost');
    const third = call();
    expect(started).toHaveLength(2);
    started[1]?.();
    await expect(third).resolves.toBeUndefined();
  });
});
