import { describe, expect, it } from 'vitest';
import type { LeaseStore } from '../../../src/core/lease-store.js';
import type { NatsLeaseEntry } from '../../../src/lease/nats-entries.js';
import { type NatsLeaseBucket, natsLease } from '../../../src/lease/stores/nats.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';

/** A bucket in memory; `before` is called before each write, as if somebody else was faster. */
class FakeBucket implements NatsLeaseBucket {
  readonly entries = new Map<string, NatsLeaseEntry>();
  revision = 0;
  nowMs = 1000;
  before: (key: string) => void = () => {};

  write(key: string, value: string): number {
    this.revision += 1;
    this.entries.set(key, {
      key,
      value: new TextEncoder().encode(value),
      created: new Date(this.nowMs),
      revision: this.revision,
      operation: 'PUT',
    });
    return this.revision;
  }

  get = async (key: string) => this.entries.get(key) ?? null;
  put = async (key: string, value: string) => this.write(key, value);
  create = (key: string, value: string) => this.update(key, value, 0);

  async update(key: string, value: string, revision: number): Promise<number> {
    this.before(key);
    if ((this.entries.get(key)?.revision ?? 0) !== revision)
      throw Object.assign(new Error('wrong last sequence'), { code: 10_071 });
    return this.write(key, value);
  }

  async history(): Promise<AsyncIterable<NatsLeaseEntry>> {
    const entries = [...this.entries.values()];
    return (async function* () {
      yield* entries;
    })();
  }

  async status() {
    return { streamInfo: { config: { max_age: 0, storage: 'file' } } };
  }
}

function setUp(): { bucket: FakeBucket; store: LeaseStore } {
  const bucket = new FakeBucket();
  const connection = { close: async () => {}, closed: () => new Promise<void>(() => {}) };
  const store = natsLease(
    async () => connection,
    () => ({ create: async () => bucket }),
  );
  return { bucket, store };
}

const call = () => ({ clock: createManualClock(), signal: new AbortController().signal });
const request = { name: 'orders', holder: 'a', ttlMs: 30_000, data: '' };
const rival = JSON.stringify({ holder: 'b', ttlMs: 30_000, data: '' });
const once = (action: () => void) => {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
};

async function granted(store: LeaseStore): Promise<bigint> {
  const answer = await store.acquire(request, call());
  if (answer.kind !== 'granted') throw new Error('denied');
  return answer.token;
}

describe('natsLease on a bucket in memory', () => {
  it('H5: is denied when another was faster', async () => {
    const { bucket, store } = setUp();
    bucket.before = once(() => bucket.write('lease.orders', rival));
    expect(await store.acquire(request, call())).toEqual({
      kind: 'denied',
      owner: { holder: 'b', token: 1n },
    });
  });

  it('H2: has lost it when another has taken it between look and renewal', async () => {
    const { bucket, store } = setUp();
    const token = await granted(store);
    bucket.before = once(() => bucket.write('lease.orders', rival));
    expect(await store.renew({ ...request, token }, call())).toEqual({
      kind: 'lost',
      owner: { holder: 'b', token: 2n },
    });
  });

  it('H2: an earlier renewal of its own that arrives late is no loss', async () => {
    const { bucket, store } = setUp();
    const token = await granted(store);
    const late = JSON.stringify({ ...request, token: String(token) });
    bucket.before = once(() => bucket.write('lease.orders', late));
    await expect(store.renew({ ...request, token }, call())).rejects.toThrow(/another call/);
    expect((await store.renew({ ...request, token }, call())).kind).toBe('renewed');
  });

  it('H2: an answer that is older than what was confirmed before is no loss', async () => {
    const { bucket, store } = setUp();
    const token = await granted(store);
    const behind = bucket.entries.get('lease.orders');
    bucket.write('lease.orders', rival);
    const before = bucket.entries.get('lease.orders') as NatsLeaseEntry;
    bucket.entries.set('lease.orders', behind as NatsLeaseEntry);
    await store.renew({ ...request, token }, call());
    // Of a server that does not know yet that it leads no more.
    bucket.entries.set('lease.orders', { ...before, revision: 1 });
    await expect(store.renew({ ...request, token }, call())).rejects.toThrow(/less than it had/);
  });

  it('H2: whatever fails but the comparison proves nothing', async () => {
    const { bucket, store } = setUp();
    const token = await granted(store);
    bucket.before = () => {
      throw Object.assign(new Error('no suitable peers'), { code: 10_005 });
    };
    await expect(store.renew({ ...request, token }, call())).rejects.toThrow('no suitable peers');
    await expect(store.release({ ...request, token }, call())).rejects.toThrow('no suitable');
    bucket.before = () => {};
    expect((await store.renew({ ...request, token }, call())).kind).toBe('renewed');
  });

  it('H4: is neither renewed nor lost when the write is no longer the last one', async () => {
    const { bucket, store } = setUp();
    const token = await granted(store);
    const { get } = bucket;
    let looks = 0;
    bucket.get = async (key) => {
      looks += 1;
      if (looks === 2) bucket.write(key, rival);
      return get(key);
    };
    await expect(store.renew({ ...request, token }, call())).rejects.toThrow(/written again/);
  });

  it('H1: expires by two times of the server', async () => {
    const { bucket, store } = setUp();
    const token = await granted(store);
    bucket.nowMs += 30_000;
    const other = { ...request, holder: 'b' };
    expect(await store.acquire(other, call())).toMatchObject({
      kind: 'denied',
      owner: { holder: 'a', token, expiresInMs: 0 },
    });
    expect(await store.list({}, call())).toMatchObject([{ name: 'orders', expiresInMs: 0 }]);
    bucket.nowMs += 1;
    expect(await store.list({}, call())).toEqual([]);
    expect((await store.acquire(other, call())).kind).toBe('granted');
  });

  it('refuses what it cannot use', () => {
    const buckets = () => ({ create: async () => new FakeBucket() });
    const connect = async () => ({ close: async () => {}, closed: async () => {} });
    expect(() => natsLease({} as never, buckets)).toThrow(/natsLease.connect must be a function/);
    expect(() => natsLease(connect, {} as never)).toThrow(/natsLease.buckets must be a function/);
    expect(() => natsLease(connect, buckets, { bucket: 'a.b' })).toThrow(/natsLease.bucket must/);
    expect(() => natsLease(connect, buckets, { replicas: 0 })).toThrow(/natsLease.replicas must/);
  });
});
