import { describe, expect, it } from 'vitest';
import { ownerOf, recordOf, tokenOf } from '../../src/lease/rows.js';
import { tableOption } from '../../src/lease/table-name.js';

describe('rows of a lease table', () => {
  it('H4: a token is exact whatever type the driver returns', () => {
    expect(tokenOf('9007199254740993')).toBe(9_007_199_254_740_993n);
    expect(tokenOf(9_007_199_254_740_993n)).toBe(9_007_199_254_740_993n);
    expect(tokenOf(7)).toBe(7n);
  });

  it.each([null, 'secret', '-4', '2.5', '9.22337203685478e+18'])(
    'H7: %j is no token, and the error does not tell what is there instead',
    (value) => {
      const text = 'something else than a token is kept under the name of this lease';
      expect(() => tokenOf(value)).toThrow(new Error(text));
      expect(() => ownerOf({ holder: 'a', owner_token: value })).toThrow(new Error(text));
    },
  );

  it('nobody owns a row without holder', () => {
    expect(ownerOf(undefined)).toEqual({});
    expect(ownerOf({ holder: null, owner_token: '5' })).toEqual({});
    expect(ownerOf({ holder: 'a', owner_token: '5', expires_in_ms: '-3.5' })).toEqual({
      holder: 'a',
      token: 5n,
      expiresInMs: 0,
    });
  });

  it('numbers may come as text', () => {
    const row = { name: 'n', holder: 'a', owner_token: 5n, ttl_ms: '10', expires_in_ms: '2.5' };
    expect(recordOf({ ...row, revision: 9n, data: 'd' })).toEqual({
      ...{ name: 'n', holder: 'a', token: 5n, ttlMs: 10, expiresInMs: 2.5 },
      revision: '9',
      data: 'd',
    });
  });

  it('H7: a row that no store has written is told by its name', () => {
    const row = { name: 'n', holder: 'a', owner_token: '5', ttl_ms: 10, expires_in_ms: 2 };
    const whole = { ...row, revision: 9, data: 'secret' };
    for (const odd of [{ owner_token: 'x' }, { owner_token: null }, { ttl_ms: 'x' }])
      expect(() => recordOf({ ...whole, ...odd })).toThrow(/a lease under "name n"$/);
  });

  it.each(['', 'a.b.c', 'a b', 'a;b', '1a', 'a.', `x${'y'.repeat(63)}`, 7, 'naïve'])(
    'refuses %j as the name of a table',
    (name) => {
      expect(() => tableOption('store.table', name)).toThrow(/store.table must be a table name/);
    },
  );

  it('takes a name with or without a schema', () => {
    expect(tableOption('store.table', 'hale_leases')).toBe('hale_leases');
    expect(tableOption('store.table', 'ops.hale_leases')).toBe('ops.hale_leases');
  });
});
