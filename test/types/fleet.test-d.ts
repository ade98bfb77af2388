import { describe, expectTypeOf, it } from 'vitest';
import {
  type Fleet,
  type FleetEvent,
  type FleetInstance,
  type PublishedHealth,
  type PublishedLease,
  createFleet,
  publishInstance,
} from '../../src/fleet.js';
import type { Health } from '../../src/health.js';
import type { Lease, LeaseStore } from '../../src/lease/index.js';
import { memoryLease } from '../../src/lease/stores/memory.js';
import { leaseStoreFromUrl } from '../../src/lease/url/index.js';

describe('the fleet', () => {
  it('takes the health and the lease of a process as they are', () => {
    expectTypeOf<Health>().toExtend<PublishedHealth>();
    expectTypeOf<Lease>().toExtend<PublishedLease>();
    const [health, lease] = [null as unknown as Health, null as unknown as Lease];
    // An environment variable may not be there.
    expectTypeOf(publishInstance).toBeCallableWith(health, lease, {
      releaseId: process.env['GIT_SHA'],
      version: process.env['VERSION'],
    });
    expectTypeOf(publishInstance).returns.toEqualTypeOf<() => void>();
  });

  it('watches any store, also one by URL', () => {
    expectTypeOf(createFleet).toBeCallableWith({ store: memoryLease(), prefix: 'orders/' });
    expectTypeOf(leaseStoreFromUrl).returns.resolves.toEqualTypeOf<LeaseStore>();
    expectTypeOf<Fleet>().toExtend<AsyncDisposable>();
    const store = memoryLease();
    // @ts-expect-error there are two detectors
    createFleet({ store, detector: { kind: 'ping' } });
    // @ts-expect-error a time-out knows no phi
    createFleet({ store, detector: { kind: 'timeout', downPhi: 12 } });
  });

  it('tells an instance with the events that have one', () => {
    const event = null as unknown as FleetEvent;
    if (event.kind === 'down') expectTypeOf(event.instance).toEqualTypeOf<FleetInstance>();
    if (event.kind === 'mass_loss') expectTypeOf(event.vanished).toEqualTypeOf<number>();
    expectTypeOf<FleetInstance['token']>().toEqualTypeOf<bigint>();
  });
});
