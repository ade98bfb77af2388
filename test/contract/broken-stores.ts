import type { LeaseCall, LeaseRecord, LeaseStore } from '../../src/core/lease-store.js';
import { createPollWatch } from '../../src/lease/poll-watch.js';
import { memoryLease } from '../../src/lease/stores/memory.js';
import type { StoreHarness } from './lease-store-bench.js';

/** A store with one fault, and the case of the contract that must find it. */
export interface BrokenStore {
  readonly fault: string;
  readonly foundBy: RegExp;
  readonly breakIt: (sound: LeaseStore, harness: StoreHarness) => LeaseStore;
}

/** A change of some calls of a sound store. */
const change = (
  fault: string,
  foundBy: RegExp,
  overrides: (sound: LeaseStore, harness: StoreHarness) => Partial<LeaseStore>,
): BrokenStore => ({
  fault,
  foundBy,
  breakIt: (sound, harness) => {
    const broken: LeaseStore = {
      ...sound,
      watch: (query, listener, context) =>
        createPollWatch({ context, listener, list: (call) => broken.list(query, call) }),
      ...overrides(sound, harness),
    };
    return broken;
  },
});

const present = async (
  store: LeaseStore,
  name: string,
  call: LeaseCall,
): Promise<LeaseRecord | undefined> =>
  (await store.list({ prefix: name }, call)).find((record) => record.name === name);

/** Faults seen in the field, planted into the store in memory. */
export const brokenStores: readonly BrokenStore[] = [
  change('grants what is held', /denies a lease that is held/, (sound) => ({
    acquire: (request, call) => sound.acquire({ ...request, holder: 'everybody' }, call),
  })),
  change('grants the same token again after a release', /tokens only grow, over/, (sound) => ({
    acquire: async (request, call) => {
      const answer = await sound.acquire(request, call);
      return answer.kind === 'granted' ? { ...answer, token: 1n } : answer;
    },
    renew: async (renewal, call) => {
      const { token = 0n } = (await present(sound, renewal.name, call)) ?? {};
      return sound.renew({ ...renewal, token }, call);
    },
    release: async (claim, call) => {
      const { token = 0n } = (await present(sound, claim.name, call)) ?? {};
      return sound.release({ ...claim, token }, call);
    },
  })),
  change('grants the same holder the same token', /never granted the same token/, (sound) => ({
    acquire: async (request, call) => {
      const record = await present(sound, request.name, call);
      return record?.holder === request.holder
        ? { kind: 'granted', token: record.token, ttlMs: request.ttlMs }
        : sound.acquire(request, call);
    },
  })),
  change('tells the token as a number', /grants a free lease/, (sound) => ({
    acquire: async (request, call) => {
      const answer = await sound.acquire(request, call);
      return answer.kind === 'granted'
        ? { ...answer, token: Number(answer.token) as unknown as bigint }
        : answer;
    },
  })),
  change('claims to have granted more than asked', /no longer than asked/, (sound) => ({
    acquire: async (request, call) => {
      const answer = await sound.acquire(request, call);
      return answer.kind === 'granted' ? { ...answer, ttlMs: request.ttlMs + 1 } : answer;
    },
  })),
  change('renews by name alone', /a stale renewal is refused/, (sound) => ({
    renew: async (renewal, call) => {
      const { holder = '', token = 0n } = (await present(sound, renewal.name, call)) ?? {};
      return sound.renew({ ...renewal, holder, token }, call);
    },
  })),
  change('a refused renewal ends the lease of the holder', /does not disturb/, (sound) => ({
    renew: async (renewal, call) => {
      const answer = await sound.renew(renewal, call);
      const record = await present(sound, renewal.name, call);
      if (answer.kind === 'lost' && record !== undefined) await sound.release(record, call);
      return answer;
    },
  })),
  change('renews what has expired', /an expired lease cannot be renewed/, (sound) => ({
    renew: async (renewal, call) => {
      const answer = await sound.renew(renewal, call);
      return answer.kind === 'lost' && Object.keys(answer.owner).length === 0
        ? { kind: 'renewed', ttlMs: renewal.ttlMs }
        : answer;
    },
  })),
  change('a renewal that extends nothing', /a renewal extends the lease/, (sound) => ({
    renew: async (renewal, call) => {
      const record = await present(sound, renewal.name, call);
      return sound.renew({ ...renewal, ttlMs: record?.expiresInMs ?? 0 }, call);
    },
  })),
  change('renews once only', /outlives its ttl/, (sound) => {
    const renewed = new Set<string>();
    return {
      renew: async (renewal, call) => {
        const { name, ttlMs, token } = renewal;
        if (renewed.has(`${name} ${token}`)) return { kind: 'renewed', ttlMs };
        renewed.add(`${name} ${token}`);
        return sound.renew(renewal, call);
      },
    };
  }),
  change('releases by name alone', /a stale one frees nothing/, (sound) => ({
    release: async (claim, call) => {
      const record = await present(sound, claim.name, call);
      return sound.release(record ?? claim, call);
    },
  })),
  change('never expires', /expires after its ttl/, (sound) => ({
    acquire: (request, call) => sound.acquire({ ...request, ttlMs: 1e9 }, call),
  })),
  change('expires early', /not before/, (sound) => ({
    acquire: async (request, call) => {
      const answer = await sound.acquire({ ...request, ttlMs: request.ttlMs * 0.8 }, call);
      return answer.kind === 'granted' ? { ...answer, ttlMs: request.ttlMs } : answer;
    },
  })),
  change('looks first and takes afterwards', /of 20 that ask at once/, (sound) => ({
    acquire: async (request, call) => {
      const record = await present(sound, request.name, call);
      if (record !== undefined) return { kind: 'denied', owner: record };
      return sound.acquire({ ...request, holder: 'the last to write' }, call);
    },
  })),
  change('cuts names at a space', /come through as they are/, (sound) => ({
    list: async (query, call) =>
      (await sound.list(query, call)).map((record) => ({
        ...record,
        name: record.name.replace(/ .*/, ''),
      })),
  })),
  change('lists what has expired', /lists what is held/, (sound) => {
    const seen = new Map<string, LeaseRecord>();
    return {
      list: async (query, call) => {
        for (const record of await sound.list(query, call)) seen.set(record.name, record);
        return [...seen.values()].filter(({ name }) => name.startsWith(query.prefix ?? ''));
      },
    };
  }),
  change('ignores the prefix', /lists what is held/, (sound) => ({
    list: (_, call) => sound.list({}, call),
  })),
  change('keeps the revision', /changes the revision/, (sound) => ({
    list: async (query, call) =>
      (await sound.list(query, call)).map((record) => ({ ...record, revision: '1' })),
  })),
  change('changes the revision at each look', /a look does not/, (sound) => {
    let looks = 0;
    return {
      list: async (query, call) =>
        (await sound.list(query, call)).map((record) => ({
          ...record,
          revision: String((looks += 1)),
        })),
    };
  }),
  change('a watch that goes on after close', /a watch tells/, (sound) => ({
    watch: (query, listener, context) => {
      const watch = createPollWatch({ context, listener, list: (call) => sound.list(query, call) });
      return { ...watch, close: () => Promise.resolve() };
    },
  })),
  change('a watch that misses expiry', /a watch tells/, (sound) => ({
    watch: (query, listener, context) =>
      createPollWatch({
        context,
        listener: (event) => {
          if (event.kind !== 'free') listener(event);
        },
        list: (call) => sound.list(query, call),
      }),
  })),
  change('expires by the wall clock of the client', /the clock of a client/, (sound) => ({
    acquire: (request, call) => sound.acquire(request, { ...call, clock: byWall(call) }),
    renew: (renewal, call) => sound.renew(renewal, { ...call, clock: byWall(call) }),
    list: (query, call) => sound.list(query, { ...call, clock: byWall(call) }),
  })),
  change('forgets its tokens at a restart', /over a restart/, (_, harness) => {
    let store = memoryLease();
    restarts.set(harness, () => (store = memoryLease()));
    return {
      acquire: (request, call) => store.acquire(request, call),
      renew: (renewal, call) => store.renew(renewal, call),
      release: (claim, call) => store.release(claim, call),
      list: (query, call) => store.list(query, call),
    };
  }),
  change(
    'hangs for as long as the registry does',
    /ends within its time-out/,
    (sound, harness) => ({
      renew: (renewal, call) =>
        isAway(harness) ? new Promise(() => {}) : sound.renew(renewal, call),
    }),
  ),
  change('takes an outage for a refusal', /ends within its time-out/, (sound, harness) => ({
    renew: async (renewal, call) =>
      isAway(harness) ? { kind: 'lost', owner: {} } : sound.renew(renewal, call),
  })),
  change('a watch that hides its blindness', /a watch says that it is blind/, (sound) => ({
    watch: (query, listener, context) =>
      createPollWatch({
        context,
        listener,
        list: (call) => sound.list(query, call).catch(() => []),
      }),
  })),
  change('lists nothing because of one stray key', /what is no lease is told once/, (sound) => ({
    list: async (query, call) => {
      const onForeign = (key: string): never => {
        throw new Error(`something else than a lease under "${key}"`);
      };
      return sound.list(query, { ...call, onForeign });
    },
  })),
  change('works though it was given up', /given up before it begins/, (sound) => ({
    acquire: (request, call) =>
      sound.acquire(request, { ...call, signal: new AbortController().signal }),
  })),
  change('leaves a listener at each call', /leaves no listener/, (sound) => ({
    renew: (renewal, call) => {
      call.signal.addEventListener('abort', () => {});
      return sound.renew(renewal, call);
    },
  })),
];

const restarts = new WeakMap<object, () => void>();
const away = new WeakSet<object>();

const isAway = (harness: object): boolean => away.has(harness);

const byWall = ({ clock }: LeaseCall): LeaseCall['clock'] => ({
  ...clock,
  now: () => clock.wallNow(),
});

/** What a harness in memory does to every store it has opened. */
export const registry = {
  setAway(harness: object, isGone: boolean): void {
    if (isGone) away.add(harness);
    else away.delete(harness);
  },
  isAway,
  restart: (harness: object): void => restarts.get(harness)?.(),
};
