import { describe, expect, it } from 'vitest';
import {
  type LeaseObject,
  changedObject,
  entryOf,
  isNamePrefix,
  microTime,
  objectName,
  wholeSeconds,
} from '../../src/lease/kubernetes-object.js';

const object = (annotations?: Record<string, string>): LeaseObject => ({
  metadata: { name: 'hale-orders', resourceVersion: '7', ...(annotations && { annotations }) },
  spec: { holderIdentity: 'a', leaseDurationSeconds: 30, leaseTransitions: 3 },
});

describe('Lease objects', () => {
  it('have the name of the lease, or one that Kubernetes allows', () => {
    expect(objectName('hale-', 'orders')).toBe('hale-orders');
    expect(objectName('hale-', 'orders.eu')).toBe('hale-orders.eu');
    const others = ['Orders', 'orders ', 'orders/0', 'a..b', '-', '', 'x'.repeat(300), '.'];
    const names = others.map((name) => objectName('hale-', name));
    expect(new Set(names).size).toBe(others.length);
    for (const name of names) {
      expect(name).toMatch(/^hale-(?:[a-z0-9-]+-)?[0-9a-f]{24}$/);
      expect(name.length).toBeLessThan(254);
    }
  });

  it.each([
    ['hale-', true],
    ['', true],
    ['team.hale-', true],
    ['Hale', false],
    ['-', false],
    ['a..', false],
    ['x'.repeat(101), false],
  ])('prefix %j: %j', (prefix, accepted) => {
    expect(isNamePrefix(prefix)).toBe(accepted);
  });

  it('are read, or refused when they are not of hale', () => {
    expect(entryOf(object({ 'hale/name': 'orders', 'hale/data': 'ready' }), 'orders')).toEqual({
      name: 'orders',
      holder: 'a',
      token: 3n,
      ttlMs: 30_000,
      data: 'ready',
      revision: '7',
    });
    expect(() => entryOf(object())).toThrow(
      'something else than a lease under "Lease hale-orders"',
    );
    expect(() => entryOf(object({ 'hale/name': 'other' }), 'orders')).toThrow(
      /something else than a lease/,
    );
    const half = object({ 'hale/name': 'orders' });
    expect(() => entryOf({ ...half, spec: { leaseTransitions: 0.5 } })).toThrow(/something else/);
    const fresh = {
      metadata: { name: 'x', resourceVersion: '1', annotations: { 'hale/name': 'x' } },
    };
    expect(entryOf(fresh)).toMatchObject({ holder: undefined, token: 0n, ttlMs: 0, data: '' });
  });

  it("H4: keep their revision for the write, and lose nothing that is not hale's", () => {
    const before = {
      ...object({ 'hale/name': 'orders', note: 'x' }),
      metadata: {
        name: 'hale-orders',
        resourceVersion: '7',
        ownerReferences: [1],
        managedFields: ['much'],
        annotations: { 'hale/name': 'orders', note: 'x' },
      },
    };
    const change = { name: 'orders', holder: undefined, token: 3n, ttlMs: 30_900, data: 'd' };
    const after = changedObject(before, change, 0);
    expect(JSON.parse(JSON.stringify(after))).toEqual({
      metadata: {
        name: 'hale-orders',
        resourceVersion: '7',
        ownerReferences: [1],
        labels: { 'app.kubernetes.io/managed-by': 'hale' },
        annotations: { 'hale/name': 'orders', 'hale/data': 'd', note: 'x' },
      },
      spec: {
        leaseDurationSeconds: 30,
        leaseTransitions: 3,
        renewTime: '1970-01-01T00:00:00.000000Z',
      },
    });
  });

  it('H1: no two times in a row are the same', () => {
    const first = microTime(1_800_000_000_123);
    expect(first).toBe('2027-01-15T08:00:00.123000Z');
    const second = microTime(1_800_000_000_123, first);
    expect(second).toBe('2027-01-15T08:00:00.123001Z');
    expect(microTime(1_800_000_000_123, second)).toBe('2027-01-15T08:00:00.123002Z');
    const last = '2027-01-15T08:00:00.123999Z';
    expect(microTime(1_800_000_000_123, last)).toBe(first);
    expect(microTime(1_800_000_000_124, last)).toBe('2027-01-15T08:00:00.124000Z');
  });

  it('H1: last whole seconds, never more than asked', () => {
    expect([999, 1000, 1999, 30_000].map(wholeSeconds)).toEqual([1, 1, 1, 30]);
  });
});
