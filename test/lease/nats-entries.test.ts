import { expect, it } from 'vitest';
import { keyOf, leaseOf } from '../../src/lease/nats-entries.js';

const entry = (value: object, key = keyOf('orders')) => ({
  ...{ key, created: new Date(0), revision: 7, operation: 'PUT' },
  value: new TextEncoder().encode(JSON.stringify(value)),
});

const kept = { holder: 'a', ttlMs: 1000, data: '' };

it('H7: a grant has the token of its revision, a renewal the one it tells', () => {
  expect(leaseOf(entry(kept)).grant?.token).toBe(7n);
  expect(leaseOf(entry({ ...kept, token: '5' })).grant?.token).toBe(5n);
});

it.each([
  { ...kept, token: 'secret' },
  { ...kept, token: '-1' },
  { ...kept, ttlMs: 0 },
  { holder: 3 },
  {},
])('H7: %j is no lease, and told by its key', (value) => {
  expect(() => leaseOf(entry(value))).toThrow(
    'NATS has something else than a lease under "lease.orders"',
  );
});

it('H7: a key that is no name is told as it is', () => {
  expect(() => leaseOf(entry(kept, 'lease.=E0'))).toThrow('under "lease.=E0"');
});
