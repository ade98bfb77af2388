import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/core/redact.js';
import { redactValue } from '../../src/core/redact-value.js';

const redact = createRedactor(['pin']);
const copy = (value: unknown) => redactValue(value, redact);

function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + countOf(item), 1);
}

describe('redacted value', () => {
  it('C1: keeps plain data', () => {
    const value = { a: [1, 'x', true, null], b: { c: -0.5 }, d: [] };
    expect(copy(value)).toEqual(value);
  });

  it('C1: what JSON cannot say is said in words', () => {
    expect([NaN, Infinity, -Infinity].map(copy)).toEqual([null, null, null]);
    expect(copy({ a: undefined, b: 5n, c: Symbol('s'), d: () => {} })).toEqual({
      a: null,
      b: '5n',
      c: 'Symbol(s)',
      d: 'function d',
    });
    expect(copy(new Uint8Array(3))).toBe('an object of Uint8Array');
  });

  it('E7: the key decides, whatever the value', () => {
    expect(
      copy({
        password: 'hunter 2',
        dbPass: 'x',
        pin: 1234,
        token: ['abc', 'def'],
        credentials: { user: 'a', key: 'b' },
        hasPassword: true,
        secret: null,
        cookie: undefined,
        passing: 3,
      }),
    ).toEqual({
      password: '[redacted]',
      dbPass: '[redacted]',
      pin: '[redacted]',
      token: '[redacted]',
      credentials: '[redacted]',
      hasPassword: true,
      secret: null,
      cookie: null,
      passing: 3,
    });
  });

  it('E7: keys and texts at any depth are redacted', () => {
    const url = 'redis://:hunter2@cache:6379';
    expect(copy({ a: { b: [url] }, [url]: 1 })).toEqual({
      a: { b: ['redis://[redacted]@cache:6379'] },
      'redis://[redacted]@cache:6379': 1,
    });
  });

  it('C4: is bounded in depth, width and size', () => {
    expect(copy([[[[[[1]]]]]])).toEqual([[[['an array of 1']]]]);
    const wide = copy(Array.from({ length: 60 }, (_, index) => index));
    expect(wide).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(
      Object.keys(
        copy(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, i]))) as object,
      ),
    ).toHaveLength(50);
    const broad = Array.from({ length: 40 }, () => Array.from({ length: 40 }, () => 1));
    expect(countOf(copy(broad))).toBeLessThanOrEqual(240);
    expect(countOf(copy(broad))).toBeGreaterThan(190);
  });

  it('C4: a key that cannot be read takes only its object with it', () => {
    const bad = {
      get x(): never {
        throw new Error('no');
      },
    };
    expect(copy({ good: 1, bad })).toEqual({ good: 1, bad: 'an object of Object' });
  });

  it('C4: an own __proto__ stays a plain property', () => {
    const result = copy(JSON.parse('{"__proto__": {"polluted": true}}')) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.keys(result)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('E7: looks at a key once, and remembers a bounded number of them', () => {
    const looked: string[] = [];
    const counting = (text: string): string => {
      looked.push(text);
      return redact(text);
    };
    const plain = { used: 3, password: 'hunter 2' };
    const first = redactValue(plain, counting);
    expect(looked.splice(0).length).toBeGreaterThan(0);
    expect(redactValue(plain, counting)).toEqual(first);
    expect(looked).toEqual([]);
    for (let index = 0; index < 1000; index += 1)
      expect(redactValue({ [`password_${index}`]: 'x' }, counting)).toEqual({
        [`password_${index}`]: '[redacted]',
      });
    looked.length = 0;
    redactValue({ password_1: 1, password_999: 1 }, counting);
    expect(looked).not.toContain('password_1');
    expect(looked).toContain('password_999');
  });
});
