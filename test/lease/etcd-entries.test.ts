import { describe, expect, it } from 'vitest';
import {
  entryOf,
  isChange,
  rangeOf,
  revisionOf,
  toBase64,
  valueOf,
} from '../../src/lease/etcd-entries.js';

const BIG = 2n ** 53n + 1n;
const value = valueOf({ name: 'orders', holder: 'a', ttlMs: 2000, data: 'x' });
const pair = { key: toBase64('p/orders'), value, create_revision: String(BIG), mod_revision: '9' };

describe('entries of etcd', () => {
  it('H4: tokens are exact beyond 2^53', () => {
    expect(entryOf(pair)).toEqual({
      ...{ key: 'p/orders', holder: 'a', token: BIG, ttlMs: 2000, data: 'x', revision: '9' },
    });
    expect(revisionOf({ header: { revision: String(BIG) } })).toBe(BIG);
  });

  it.each([
    ['no JSON', { ...pair, value: toBase64('{') }],
    ['no holder', { ...pair, value: toBase64('{}') }],
    ['no ttl', { ...pair, value: toBase64('{"holder":"a"}') }],
    ['a ttl that is none', { ...pair, value: toBase64('{"holder":"a","ttlMs":-1}') }],
    ['no object', { ...pair, value: toBase64('null') }],
    ['no value', { key: pair.key, create_revision: '1' }],
    ['no revision', { key: pair.key, value }],
    ['a revision that is none', { ...pair, create_revision: 'x' }],
    ['a revision of more than 64 bits', { ...pair, create_revision: '9'.repeat(1_000_000) }],
  ])('a key that is no lease says nothing: %s', (_, kv) => {
    expect(() => entryOf(kv)).toThrow('something else than a lease under "p/orders"');
  });

  const long = { header: { revision: '9'.repeat(1000) } };

  it.each([{}, { header: null }, { header: {} }, { header: { revision: 7 } }, long])(
    'an answer without a revision is none: %j',
    (answer) => {
      expect(() => revisionOf(answer)).toThrow(/without a revision/);
    },
  );

  it('a range ends behind the last key with the prefix, in the order of bytes', () => {
    const { key, range_end } = rangeOf('a/\u{10FFFF}');
    const [from, to] = [key, range_end].map((text) => Buffer.from(text, 'base64')) as [
      Buffer,
      Buffer,
    ];
    const inside = Buffer.from('a/\u{10FFFF}\u{10FFFF}');
    expect([Buffer.compare(from, inside), Buffer.compare(inside, to)]).toEqual([-1, -1]);
    expect(rangeOf('a/')).toEqual({ key: toBase64('a/'), range_end: toBase64('a0') });
  });

  it('H7: grants, releases and expiries are changes; renewals and signs of life are not', () => {
    const told = (event: object) => isChange({ result: { events: [event] } });
    expect(told({ kv: { create_revision: '7', mod_revision: '7' } })).toBe(true);
    expect(told({ type: 'DELETE', kv: { mod_revision: '8' } })).toBe(true);
    expect(told({ kv: { create_revision: '7', mod_revision: '8' } })).toBe(false);
    expect(isChange({ result: { created: true } })).toBe(false);
    expect(isChange({})).toBe(false);
  });
});
