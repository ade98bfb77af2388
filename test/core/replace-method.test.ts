import { describe, expect, it } from 'vitest';
import { replaceMethod } from '../../src/core/replace-method.js';

class Counter {
  step = 1;
  next(from: number): number {
    return from + this.step;
  }
}

const twice = (counter: Counter) =>
  replaceMethod(counter, 'next', (before) => {
    return function next(this: Counter, from: number) {
      return 2 * Reflect.apply(before, this, [from]);
    };
  });

describe('replacing a method', () => {
  it('keeps `this`, and puts back a method of the prototype by removing its own', () => {
    const counter = new Counter();
    const restore = twice(counter);
    expect(counter.next(1)).toBe(4);
    restore();
    expect([counter.next(1), Object.hasOwn(counter, 'next')]).toEqual([2, false]);
  });

  it('puts back a method of its own as it was, hidden or not', () => {
    const counter = new Counter();
    Object.defineProperty(counter, 'next', {
      value: () => 7,
      configurable: true,
      writable: true,
      enumerable: false,
    });
    twice(counter)();
    expect([counter.next(1), Object.keys(counter)]).toEqual([7, ['step']]);
  });

  it('leaves what somebody else has put there since, and only passes calls on', () => {
    const counter = new Counter();
    const first = twice(counter);
    const second = twice(counter);
    expect(counter.next(1)).toBe(8);
    first();
    expect(counter.next(1)).toBe(4);
    second();
    expect(counter.next(1)).toBe(2);
  });
});
