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

  it('leaves nothing once all are taken back, in whichever order', () => {
    const counter = new Counter();
    const own = counter.next;
    const first = twice(counter);
    const second = twice(counter);
    first();
    second();
    expect([counter.next, Object.hasOwn(counter, 'next')]).toEqual([own, false]);
  });

  it('does not grow while one is put in before the last is taken back, again and again', () => {
    const counter = new Counter();
    let last = twice(counter);
    for (let round = 0; round < 20_000; round += 1) {
      const next = twice(counter);
      last();
      last = next;
    }
    expect(counter.next(1)).toBe(4);
    last();
    expect(Object.hasOwn(counter, 'next')).toBe(false);
  });

  it('calls what stands on the prototype now, as tracing puts itself there late or goes again', () => {
    class Traced extends Counter {}
    const counter = new Traced();
    twice(counter);
    Traced.prototype.next = () => 10;
    expect(counter.next(1)).toBe(20);
    delete (Traced.prototype as Partial<Traced>).next;
    expect(counter.next(1)).toBe(4);
  });

  it('is without effect when taken back twice', () => {
    const counter = new Counter();
    const first = twice(counter);
    first();
    const second = twice(counter);
    first();
    expect(counter.next(1)).toBe(4);
    second();
    expect(Object.hasOwn(counter, 'next')).toBe(false);
  });
});
