import { describe, expect, it } from 'vitest';
import type { LeaseCall, LeaseStore } from '../../../src/core/lease-store.js';
import { ForeignEntry } from '../../../src/lease/foreign-entry.js';
import { createPollWatch } from '../../../src/lease/poll-watch.js';
import { memoryLease } from '../../../src/lease/stores/memory.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';
import { type BrokenStore, brokenStores, registry } from '../../contract/broken-stores.js';
import type { StoreHarness } from '../../contract/lease-store-bench.js';
import {
  describeLeaseStore,
  leaseStoreContract,
  runCase,
} from '../../contract/lease-store-contract.js';

/** The store in memory behind a network that can be cut: so that every case applies, without waiting for any. */
function harness(broken?: BrokenStore): StoreHarness {
  const clock = createManualClock();
  const memory = memoryLease();
  const reach = async <T>(call: LeaseCall, work: () => Promise<T>): Promise<T> => {
    if (!registry.isAway(self)) return work();
    return new Promise((_, reject) => {
      call.clock.setTimeout(() => reject(new Error('connection lost')), 100);
    });
  };
  const planted: string[] = [];
  const sound: LeaseStore = {
    ...memory,
    acquire: (request, call) =>
      planted.includes(request.name)
        ? Promise.reject(new ForeignEntry('memory', request.name))
        : reach(call, () => memory.acquire(request, call)),
    renew: (renewal, call) => reach(call, () => memory.renew(renewal, call)),
    release: (claim, call) => reach(call, () => memory.release(claim, call)),
    list: (query, call) => {
      for (const name of planted) call.onForeign?.(name);
      return reach(call, () => memory.list(query, call));
    },
    watch: (query, listener, context) =>
      createPollWatch({ context, listener, list: (call) => sound.list(query, call) }),
  };
  const self: StoreHarness = {
    open: () => store,
    clock,
    wait: (ms) => clock.advance(ms),
    ttlMs: 1000,
    lateMs: 50,
    timeoutMs: 500,
    ownClock: false,
    restart: async () => registry.restart(self),
    plantForeign: async (name) => planted.push(name),
    faults: [
      {
        name: 'away',
        begin: async () => registry.setAway(self, true),
        end: async () => registry.setAway(self, false),
      },
    ],
  };
  const store = broken?.breakIt(sound, self) ?? sound;
  return self;
}

describeLeaseStore('memory', harness, ({ applies }) => applies?.(harness()) !== false);

describe('the contract finds broken stores', () => {
  it.each(brokenStores.map((broken) => [broken.fault, broken] as const))(
    'H5: one that %s',
    async (_, broken) => {
      const cases = leaseStoreContract.filter(({ title }) => broken.foundBy.test(title));
      expect(cases).toHaveLength(1);
      const outcomes = await Promise.allSettled(
        cases.map((contractCase) => runCase(contractCase, harness(broken))),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected']);
    },
  );

  it('each case finds at least one', () => {
    const blind = leaseStoreContract.filter(
      ({ title }) => !brokenStores.some(({ foundBy }) => foundBy.test(title)),
    );
    // Played by stores with a server: a token beyond 2^53 needs a row to put it into.
    expect(blind.map(({ title }) => title)).toEqual(['H4: tokens are exact beyond 2^53']);
  });
});
