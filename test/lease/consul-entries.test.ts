import { describe, expect, it } from 'vitest';
import { entryOf, isKeyPrefix, keyOf, valueOf } from '../../src/lease/consul-entries.js';

const request = { name: 'orders', holder: 'a', ttlMs: 15_000, data: '"ready"' };
const pair = { Key: 'k', LockIndex: 7, ModifyIndex: 40, Session: 's', Flags: 0 };

describe('keys of Consul', () => {
  it('are made of letters, digits, slashes and hyphens, each name another, prefixes of prefixes', () => {
    expect(keyOf('hale/lease/', 'orders/0-a')).toBe('hale/lease/orders/0-a');
    const names = ['a.b', 'a_2Eb', 'a b', 'a?b', 'a%20b', 'a\u00fcb', 'run.sh', '..'];
    const keys = names.map((name) => keyOf('', name));
    expect(keys[0]).toBe('a_2Eb');
    expect(keys[5]).toBe('a_C3_BCb');
    expect(new Set(keys).size).toBe(names.length);
    for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9/_-]+$/);
    expect(keyOf('', 'a.b/c').startsWith(keyOf('', 'a.'))).toBe(true);
  });

  it('have no empty part, which Consul answers with a redirect: each slash after another is escaped', () => {
    expect(keyOf('hale/lease/', '/a//b///')).toBe('hale/lease/_2Fa/_2Fb/_2F_2F');
    expect(keyOf('hale/lease/', 'a//b').startsWith(keyOf('hale/lease/', 'a/'))).toBe(true);
    expect(keyOf('', '/a')).toBe('_2Fa');
  });

  it.each([
    ['hale/lease/', true],
    ['', true],
    ['a_b-C/9', true],
    ['/a', false],
    ['a//', false],
    ['a b', false],
    ['a.', false],
    ['x'.repeat(201), false],
  ])('prefix %j: %j', (prefix, accepted) => {
    expect(isKeyPrefix(prefix)).toBe(accepted);
  });

  it('are read, or refused when they are none of hale', () => {
    expect(entryOf({ ...pair, ...valueOf(request, 3) })).toEqual({
      ...request,
      session: 's',
      token: 7n,
      revision: '40',
      renewals: 3,
      released: false,
    });
    expect(entryOf({ ...pair, ...valueOf(request, 3, true) }).released).toBe(true);
    expect(entryOf({ ...pair, ...valueOf(request, 0), Session: '' }).session).toBe(undefined);
    const noTtl = Buffer.from('{"name":"a","holder":"b"}').toString('base64');
    for (const Value of [null, '', 'e30=', 'bm9uZQ==', noTtl])
      expect(() => entryOf({ ...pair, Value })).toThrow('something else than a lease under "k"');
    const far = { ...pair, ...valueOf(request, 0), LockIndex: 2 ** 53 };
    expect(() => entryOf(far)).toThrow(/something else/);
  });
});
