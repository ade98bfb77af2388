import memjs from 'memjs';
import { describe, expectTypeOf, it } from 'vitest';
import { type MemjsClientLike, memcachedPing, memjsPing } from '../../src/checks/memcached.js';
import type { Check } from '../../src/core/check.js';

describe('the client of the real library fits without a cast', () => {
  it('memjs 1', () => {
    expectTypeOf<memjs.Client>().toExtend<MemjsClientLike>();
    expectTypeOf(memjsPing(memjs.Client.create('host:11211'))).toEqualTypeOf<Check>();
  });
});

describe('what is no client or address does not fit', () => {
  it('is a type error', () => {
    expectTypeOf<memjs.Server>().not.toExtend<MemjsClientLike>();
    memcachedPing({ port: 11_211 });
    memcachedPing({ path: '/run/memcached.sock' });
    // @ts-expect-error an address has a port or a path
    memcachedPing({ host: 'cache' });
  });
});
