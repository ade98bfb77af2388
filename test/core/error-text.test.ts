import { describe, expect, it } from 'vitest';
import { errorText } from '../../src/core/error-text.js';

const withCause = (message: string, cause: unknown) => new Error(message, { cause });

describe('error text', () => {
  const texts: readonly (readonly [error: unknown, text: string])[] = [
    [new Error('refused'), 'refused'],
    ['plain', 'plain'],
    ['', 'failed with an empty message'],
    [undefined, 'threw undefined'],
    [null, 'threw null'],
    [5, 'threw 5'],
    [Symbol('s'), 'threw Symbol(s)'],
    [{}, 'threw an object of Object'],
    [[], 'threw an array of 0'],
    [{ message: 5, code: 5, name: 5 }, 'threw an object of Object'],
    [{ message: '', code: 'ECONNRESET' }, 'ECONNRESET'],
    [{ message: '', code: '', name: 'TimeoutError' }, 'TimeoutError'],
    [new Error(''), 'Error'],
    [{ message: 'told', code: 'X', errors: ['first'] }, 'told'],
    [
      new AggregateError([new Error('connect ECONNREFUSED ::1:5432'), 'x']),
      'connect ECONNREFUSED ::1:5432',
    ],
    [new AggregateError([]), 'AggregateError'],
    [new AggregateError(['first', 'second']), 'first'],
    [withCause('fetch failed', new Error('ENOTFOUND db')), 'fetch failed: ENOTFOUND db'],
    [withCause('fetch failed', 'text'), 'fetch failed: text'],
    [withCause('a', withCause('b', new Error('c'))), 'a: b: c'],
    [withCause('failed: refused', new Error('refused')), 'failed: refused'],
    [withCause('failed', null), 'failed'],
    [withCause('failed', undefined), 'failed'],
    [
      withCause('fetch failed', new AggregateError([new Error('ECONNREFUSED')])),
      'fetch failed: ECONNREFUSED',
    ],
  ];
  it.each(texts.map(([error, text]) => ({ error, text })))(
    'C1: reads "$text"',
    ({ error, text }) => {
      expect(errorText(error)).toBe(text);
    },
  );

  it('C4: says so when the message cannot be read, and still reads the rest', () => {
    const error = {
      get message(): string {
        throw new Error('no');
      },
    };
    expect(errorText(error)).toBe('threw an object of Object, whose message cannot be read');
    expect(errorText(Object.defineProperty(error, 'code', { value: 'EIO' }))).toBe('EIO');
  });

  it('C4: follows a few causes only, and a cycle to its end', () => {
    const chain = Array.from({ length: 9 }).reduce<unknown>(
      (cause, _, index) => withCause(`level ${index};`, cause),
      undefined,
    );
    expect(errorText(chain)).toBe('level 8;: level 7;: level 6;: level 5;');
    const self = withCause('loop', undefined);
    self.cause = self;
    expect(errorText(self)).toBe('loop');
    const aggregate = new AggregateError([]);
    aggregate.errors.push(aggregate);
    expect(errorText(aggregate)).toBe('AggregateError');
  });

  it('C4: cuts a huge message', () => {
    expect(errorText(new Error('x'.repeat(1e6))).length).toBe(16_384);
    expect(errorText('x'.repeat(1e6)).length).toBe(16_384);
  });
});
