import { describe, expect, it, vi } from 'vitest';
import { HaleError } from '../../src/core/errors.js';
import {
  type GuardOptions,
  type GuardPredicate,
  countBadSamples,
  createGuard,
  sampleGuard,
} from '../../src/core/guard.js';

const asGuard = (value: unknown) => value as GuardPredicate;

describe('guard', () => {
  it('L5: a predicate alone holds over three samples, one each five seconds', () => {
    const isSound = () => true;
    expect(createGuard('memory', isSound)).toEqual({
      name: 'memory',
      isSound,
      samples: 3,
      everyMs: 5000,
    });
    expect(createGuard('m', { isSound, samples: 1, everyMs: 100 })).toMatchObject({
      samples: 1,
      everyMs: 100,
    });
  });

  it('L2: is called once at start-up, so that a promise is found there', () => {
    const isSound = vi.fn<() => boolean>(() => false);
    createGuard('memory', isSound);
    expect(isSound).toHaveBeenCalledTimes(1);
  });

  it('L2: a promise or any thenable is refused, and its rejection ends nothing', async () => {
    const rejecting = asGuard(() => Promise.reject(new Error('late')));
    const then = (resolve: (value: boolean) => void) => resolve(true);
    const thenable = asGuard(() => new Proxy({}, { get: () => then }));
    for (const guard of [rejecting, thenable, asGuard(async () => true)]) {
      expect(() => createGuard('db', guard)).toThrow(HaleError);
      expect(() => createGuard('db', guard)).toThrow(
        expect.objectContaining({
          code: 'HALE_GUARD_ASYNC',
          message: expect.stringContaining('liveness.guards.db must be synchronous') as string,
        }),
      );
    }
    await Promise.resolve();
  });

  it.each([[undefined], [null], [0], ['yes'], [{}]])('L2: the result %j is refused', (value) => {
    expect(() =>
      createGuard(
        'db',
        asGuard(() => value),
      ),
    ).toThrow('liveness.guards.db (its result) must be true or false, got ');
  });

  const isSound = () => true;
  const bad: readonly (readonly [name: string, guard: unknown, message: string])[] = [
    ['a:b', isSound, 'liveness.guards (a guard name) must be a name'],
    ['g', null, 'liveness.guards.g must be an object, got null'],
    ['g', {}, 'liveness.guards.g.isSound must be a function, got undefined'],
    [
      'g',
      { isSound, samples: 0 },
      'liveness.guards.g.samples must be a whole number from 1 to 1000',
    ],
    ['g', { isSound, samples: 1001 }, 'got 1001'],
    ['g', { isSound, everyMs: 99 }, 'liveness.guards.g.everyMs must be a number from 100 to'],
  ];
  it.each(bad)('L5: refuses guard %s %j', (name, guard, message) => {
    expect(() => createGuard(name, guard as GuardOptions)).toThrow(message);
  });

  it('L5: a sample says what the predicate says', () => {
    const guard = createGuard('m', isSound);
    expect(sampleGuard(guard)).toBe(true);
    expect(sampleGuard({ ...guard, isSound: () => false })).toBe(false);
  });

  it('L5: bad samples count in a row, a good one starts over', () => {
    expect(countBadSamples(0, false)).toBe(1);
    expect(countBadSamples(4, false)).toBe(5);
    expect(countBadSamples(4, true)).toBe(0);
  });
});
