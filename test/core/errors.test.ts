import { afterEach, describe, expect, it, vi } from 'vitest';
import { HaleError, OptionError, describe as render, isHaleError } from '../../src/core/errors.js';

afterEach(() => {
  vi.resetModules();
});

describe('errors', () => {
  it('carry a code, a cause and a name', () => {
    const cause = new Error('inner');
    const error = new HaleError('HALE_STATE', 'not now', { cause });
    expect(error).toMatchObject({
      code: 'HALE_STATE',
      name: 'HaleError',
      message: 'not now',
      cause,
    });
    expect(error).toBeInstanceOf(Error);
  });

  it('name the option, the accepted range and the value got', () => {
    const error = new OptionError('checks.a.timeoutMs', 'a number from 1 or more', -5);
    expect(error).toMatchObject({
      code: 'HALE_OPTION_INVALID',
      name: 'OptionError',
      option: 'checks.a.timeoutMs',
      message: 'checks.a.timeoutMs must be a number from 1 or more, got -5',
    });
  });

  it('are recognised, with their code where asked for', () => {
    const error = new HaleError('HALE_CHECK_TIMEOUT', 'late');
    expect(isHaleError(error)).toBe(true);
    expect(isHaleError(error, 'HALE_CHECK_TIMEOUT')).toBe(true);
    expect(isHaleError(error, 'HALE_CHECK_HUNG')).toBe(false);
  });

  it('are recognised across two copies of the package', async () => {
    vi.resetModules();
    const copy = await import('../../src/core/errors.js');
    expect(copy.HaleError).not.toBe(HaleError);
    const foreign = new copy.OptionError('a', 'b', 1);
    expect(foreign).not.toBeInstanceOf(HaleError);
    expect(isHaleError(foreign, 'HALE_OPTION_INVALID')).toBe(true);
    expect(copy.isHaleError(new HaleError('HALE_STATE', 'x'), 'HALE_STATE')).toBe(true);
  });

  it('are told from everything else', () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const lookalike = Object.assign(new Error('x'), { code: 'HALE_STATE' });
    for (const value of [
      undefined,
      null,
      'HALE_STATE',
      5,
      () => {},
      {},
      lookalike,
      revoked.proxy,
    ]) {
      expect(isHaleError(value)).toBe(false);
    }
  });
});

describe('rendering of values', () => {
  class Pool {}
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const noName = Object.defineProperty(() => {}, 'name', { value: Symbol('x') });
  const rendered: readonly (readonly [value: unknown, text: string])[] = [
    [undefined, 'undefined'],
    [null, 'null'],
    ['', '""'],
    ['a "b"', '"a \\"b\\""'],
    ['x'.repeat(60), `"${'x'.repeat(60)}"`],
    ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
    [NaN, 'NaN'],
    [-0.5, '-0.5'],
    [true, 'true'],
    [5n, '5n'],
    [2n ** 63n - 1n, '9223372036854775807n'],
    [2n ** 63n, 'a bigint of more than 64 bits'],
    [2n ** 200_000n, 'a bigint of more than 64 bits'],
    [Symbol('s'), 'Symbol(s)'],
    [Symbol('s'.repeat(100)), `Symbol(${'s'.repeat(53)}…`],
    [[1, 2], 'an array of 2'],
    [{}, 'an object of Object'],
    [new Pool(), 'an object of Pool'],
    [Object.create(null), 'an object of no class'],
    [{ constructor: 'x' }, 'an object of no class'],
    [{ constructor: { name: 'x' } }, 'an object of no class'],
    [function named() {}, 'function named'],
    [() => {}, 'function (anonymous)'],
    [noName, 'function (anonymous)'],
    [revoked.proxy, 'an unreadable object'],
    [
      {
        get constructor() {
          throw new Error('no');
        },
      },
      'an unreadable object',
    ],
  ];
  it.each(rendered.map(([value, text]) => ({ value, text })))(
    'renders as $text',
    ({ value, text }) => {
      expect(render(value)).toBe(text);
    },
  );
});
