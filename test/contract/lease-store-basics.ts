import { expect } from 'vitest';
import type { LeaseStore } from '../../src/core/lease-store.js';
import { type Bench, type ContractCase, LONG_MS } from './lease-store-bench.js';

const RACERS = 20;
const CYCLES = 1000;
const AWKWARD = `a 'b" -- ;%_*?[x]{y}\\ $1 :c`;

/** Grant, deny, renew, expire, release, tokens. */
export const basicCases: readonly ContractCase[] = [
  {
    title: 'H5: grants a free lease, for no longer than asked',
    async run(b) {
      const store = b.open();
      const { token, ttlMs } = await b.grant(store, b.name(), 'a', b.ttlMs);
      expect(typeof token).toBe('bigint');
      expect(token > 0n).toBe(true);
      expect(ttlMs).toBeGreaterThan(0);
      expect(ttlMs).toBeLessThanOrEqual(b.ttlMs);
    },
  },
  {
    title: 'H5: denies a lease that is held, and says by whom',
    async run(b) {
      const [one, two] = [b.open(), b.open()];
      const name = b.name();
      const { token } = await b.grant(one, name, 'a');
      const denied = await b.acquire(two, name, 'b');
      expect(denied).toMatchObject({ kind: 'denied', owner: { holder: 'a', token } });
      const left = denied.kind === 'denied' ? (denied.owner.expiresInMs ?? LONG_MS) : 0;
      expect(left).toBeLessThanOrEqual(LONG_MS);
      expect(left).toBeGreaterThan(LONG_MS / 2);
      expect(await b.grant(two, b.name(), 'b')).toMatchObject({ kind: 'granted' });
    },
  },
  {
    title: 'H1: renewed again and again, a lease outlives its ttl',
    async run(b) {
      const [one, two] = [b.open(), b.open()];
      const name = b.name();
      const { token } = await b.grant(one, name, 'a', b.ttlMs);
      const end = b.clock.now() + 2 * b.ttlMs + b.lateMs;
      while (b.clock.now() < end) {
        await b.wait(b.ttlMs / 3);
        expect(await b.renew(one, name, 'a', token, b.ttlMs)).toMatchObject({ kind: 'renewed' });
        expect((await b.acquire(two, name, 'b')).kind).toBe('denied');
      }
    },
  },
  {
    title: 'H1: a renewal extends the lease from now on',
    applies: ({ fixedTtl = false }) => !fixedTtl,
    async run(b) {
      const [one, two] = [b.open(), b.open()];
      const name = b.name();
      const { token } = await b.grant(one, name, 'a', b.ttlMs);
      expect(await b.renew(one, name, 'a', token)).toMatchObject({ kind: 'renewed' });
      await b.wait(b.ttlMs + b.lateMs);
      expect((await b.acquire(two, name, 'b')).kind).toBe('denied');
      expect(await b.renew(one, name, 'a', token, b.ttlMs)).toMatchObject({ kind: 'renewed' });
      // Where nobody but observers expires a lease, they time it from when they saw the renewal.
      expect((await b.acquire(two, name, 'b')).kind).toBe('denied');
      await b.wait(b.ttlMs + b.lateMs);
      expect((await b.acquire(two, name, 'b')).kind).toBe('granted');
    },
  },
  {
    title: 'H1: expires after its ttl, not before, and is then granted with a higher token',
    async run(b) {
      const [one, two] = [b.open(), b.open()];
      const name = b.name();
      const sentAt = b.clock.now();
      const { token } = await b.grant(one, name, 'a', b.ttlMs);
      const answers = await acquireUntilGranted(b, two, name, sentAt);
      const { kind, token: next } = answers.last;
      expect(kind).toBe('granted');
      expect(next > token).toBe(true);
      expect(answers.at - sentAt).toBeGreaterThanOrEqual(b.ttlMs);
      expect(answers.at - sentAt).toBeLessThan(b.ttlMs + b.lateMs + b.timeoutMs);
    },
  },
  {
    title: 'H2: an expired lease cannot be renewed, though nobody else has taken it',
    async run(b) {
      const store = b.open();
      const name = b.name();
      const { token } = await b.grant(store, name, 'a', b.ttlMs);
      await b.wait(b.ttlMs + b.lateMs);
      expect((await b.renew(store, name, 'a', token)).kind).toBe('lost');
      expect((await b.release(store, name, 'a', token)).kind).toBe('not_held');
    },
  },
  {
    title: 'H4: a stale renewal is refused, and does not disturb the present holder',
    async run(b) {
      const [one, two] = [b.open(), b.open()];
      const name = b.name();
      const old = await b.grant(one, name, 'a');
      await b.release(one, name, 'a', old.token);
      const { token } = await b.grant(two, name, 'b');
      expect((await b.renew(one, name, 'a', old.token)).kind).toBe('lost');
      expect((await b.renew(one, name, 'a', token)).kind).toBe('lost');
      expect((await b.renew(one, name, 'b', old.token)).kind).toBe('lost');
      expect((await b.renew(one, name, 'b', token + 1n)).kind).toBe('lost');
      expect(await b.renew(two, name, 'b', token)).toMatchObject({ kind: 'renewed' });
      expect((await b.renew(two, b.name(), 'b', token)).kind).toBe('lost');
    },
  },
  {
    title: 'H5: release frees at once; a stale one frees nothing',
    async run(b) {
      const [one, two] = [b.open(), b.open()];
      const name = b.name();
      const { token } = await b.grant(one, name, 'a');
      expect((await b.release(two, name, 'b', token)).kind).toBe('not_held');
      expect((await b.release(two, name, 'a', token + 1n)).kind).toBe('not_held');
      expect((await b.acquire(two, name, 'b')).kind).toBe('denied');
      expect((await b.release(one, name, 'a', token)).kind).toBe('released');
      expect((await b.release(one, name, 'a', token)).kind).toBe('not_held');
      expect((await b.renew(one, name, 'a', token)).kind).toBe('lost');
      expect((await b.grant(two, name, 'b')).token > token).toBe(true);
    },
  },
  {
    title: 'H4: the same holder is never granted the same token twice',
    async run(b) {
      const store = b.open();
      const name = b.name();
      const { token } = await b.grant(store, name, 'a');
      const again = await b.acquire(store, name, 'a');
      const present = again.kind === 'granted' ? again.token : token;
      expect(again.kind === 'denied' || again.token > token).toBe(true);
      expect((await b.renew(store, name, 'a', present)).kind).toBe('renewed');
    },
  },
  {
    title: `H4: tokens only grow, over ${CYCLES} cycles`,
    async run(b) {
      const stores = [b.open(), b.open()];
      const name = b.name();
      let last = 0n;
      for (let cycle = 0; cycle < CYCLES; cycle += 1) {
        const store = stores[cycle % 2] as LeaseStore;
        const { token } = await b.grant(store, name, 'a');
        if (token <= last) throw new Error(`token ${token} after ${last} in cycle ${cycle}`);
        last = token;
        const { kind } = await b.release(store, name, 'a', token);
        if (kind !== 'released') throw new Error(`token ${token} was not released`);
      }
      expect(last >= BigInt(CYCLES)).toBe(true);
    },
  },
  {
    title: 'H4: tokens are exact beyond 2^53',
    applies: ({ forceToken }) => forceToken !== undefined,
    async run(b) {
      const store = b.open();
      const name = b.name();
      const { token } = await b.grant(store, name, 'a');
      await b.release(store, name, 'a', token);
      await b.forceToken?.(name, 2n ** 53n);
      const big = await b.grant(store, name, 'a');
      expect(big.token).toBe(2n ** 53n + 1n);
      expect((await b.renew(store, name, 'a', 2n ** 53n + 2n)).kind).toBe('lost');
      expect((await b.renew(store, name, 'a', 2n ** 53n)).kind).toBe('lost');
      expect((await b.renew(store, name, 'a', big.token)).kind).toBe('renewed');
      expect(await b.list(store, name)).toMatchObject([{ token: big.token }]);
    },
  },
  {
    title: `H5: of ${RACERS} that ask at once, one is granted`,
    async run(b) {
      const stores = Array.from({ length: RACERS }, () => b.open());
      // On a name nobody had, and on one that is free again.
      const name = b.name();
      const tokens: bigint[] = [];
      for (let round = 0; round < 5; round += 1) {
        const answers = await Promise.all(
          stores.map((store, racer) => b.acquire(store, name, `racer ${racer}`)),
        );
        const winners = answers.flatMap((answer, racer) =>
          answer.kind === 'granted' ? [{ racer, token: answer.token }] : [],
        );
        expect(winners).toHaveLength(1);
        const [{ racer, token }] = winners as [(typeof winners)[0]];
        tokens.push(token);
        await b.release(stores[racer] as LeaseStore, name, `racer ${racer}`, token);
      }
      expect(tokens).toEqual(tokens.toSorted((x, y) => Number(x - y)));
      expect(new Set(tokens).size).toBe(tokens.length);
    },
  },
  {
    title: 'names, holders and texts come through as they are',
    async run(b) {
      const store = b.open();
      const name = `${b.name()} ${AWKWARD}`;
      const data = `{"state":"ready \u{1F600} '\\""}${'x'.repeat(3900)}`;
      const request = { name, holder: AWKWARD, ttlMs: LONG_MS, data };
      const granted = await store.acquire(request, b.call());
      expect(granted.kind).toBe('granted');
      const token = granted.kind === 'granted' ? granted.token : 0n;
      expect(await b.list(store, name)).toMatchObject([{ name, holder: AWKWARD, token, data }]);
      expect((await store.renew({ ...request, token, data: 'new' }, b.call())).kind).toBe(
        'renewed',
      );
      expect(await b.list(store, name)).toMatchObject([{ data: 'new' }]);
      expect((await b.release(store, name, AWKWARD, token)).kind).toBe('released');
    },
  },
];

async function acquireUntilGranted(b: Bench, store: LeaseStore, name: string, sentAt: number) {
  for (;;) {
    const last = await b.acquire(store, name, 'b');
    const at = b.clock.now();
    if (last.kind === 'granted') return { last, at };
    if (at - sentAt > b.ttlMs + b.lateMs + b.timeoutMs) throw new Error('it did not expire');
    await b.wait(20);
  }
}
