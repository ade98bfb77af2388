import { expect } from 'vitest';
import { type ContractCase, LONG_MS } from './lease-store-bench.js';

const HOUR_MS = 3_600_000;

/** List, watch, clocks. */
export const observerCases: readonly ContractCase[] = [
  {
    title: 'H7: lists what is held, by name, and nothing that was released or has expired',
    async run(b) {
      const [one, two] = [b.open(), b.open()];
      const prefix = `${b.name()}/`;
      const { token } = await b.grant(one, `${prefix}b`, 'x');
      await b.grant(one, `${prefix}a`, 'y');
      const free = await b.grant(one, `${prefix}free`, 'z');
      await b.release(one, `${prefix}free`, 'z', free.token);
      await b.grant(one, `${prefix}gone`, 'z', b.ttlMs);
      await b.grant(one, b.name(), 'another prefix');
      expect((await b.list(two, prefix)).map(({ name }) => name)).toContain(`${prefix}gone`);
      await b.wait(b.ttlMs + b.lateMs);
      const records = await b.list(two, prefix);
      expect(records.map(({ name }) => name)).toEqual([`${prefix}a`, `${prefix}b`]);
      expect(records[1]).toMatchObject({ holder: 'x', token, data: '' });
      const { expiresInMs = LONG_MS } = records[1] ?? {};
      expect(expiresInMs).toBeGreaterThan(0);
      expect(expiresInMs).toBeLessThanOrEqual(LONG_MS);
      expect(await b.list(two, `${prefix}nobody`)).toEqual([]);
    },
  },
  {
    title: 'H7: a renewal changes the revision that observers see, a look does not',
    async run(b) {
      const store = b.open();
      const name = b.name();
      const { token } = await b.grant(store, name, 'a');
      const revision = async () => (await b.list(store, name))[0]?.revision;
      const first = await revision();
      expect(await revision()).toBe(first);
      await b.renew(store, name, 'a', token);
      expect(await revision()).not.toBe(first);
    },
  },
  {
    title: 'H7: a watch tells what is held, then grants, renewals, releases and expiries',
    async run(b) {
      const [one, two] = [b.open(), b.open()];
      const prefix = `${b.name()}/`;
      const before = await b.grant(one, `${prefix}before`, 'a');
      const { events, close } = b.watch(two, prefix);
      const told = (text: string) => b.until(text, () => events.map(line).includes(text));
      await told('synced');
      expect(events.map(line)).toEqual([`held ${prefix}before a`, 'synced']);
      await b.grant(one, `${prefix}short`, 'c', b.ttlMs);
      await told(`held ${prefix}short c`);
      const renewals = () => events.filter((e) => line(e) === `held ${prefix}before a`).length;
      await b.renew(one, `${prefix}before`, 'a', before.token);
      await b.until('the renewal', () => renewals() === 2);
      await b.release(one, `${prefix}before`, 'a', before.token);
      await told(`free ${prefix}before ${before.token}`);
      await b.until('the expiry', () =>
        events.some((e) => line(e).startsWith(`free ${prefix}short`)),
      );
      // How they ended is right, or not told.
      const ends = events.filter((event) => event.kind === 'free' && event.why !== undefined);
      for (const end of ends)
        expect(end).toMatchObject({ why: line(end).includes('short') ? 'expired' : 'released' });
      expect(ends).toHaveLength(b.tellsEnds === true ? 2 : 0);
      await close();
      await close();
      const count = events.length;
      await b.grant(one, `${prefix}after`, 'd');
      await b.wait(150);
      expect(events).toHaveLength(count);
    },
  },
  {
    title: 'H7: what is no lease is told once, by its key, and hides no lease',
    applies: ({ plantForeign }) => plantForeign !== undefined,
    async run(b) {
      const store = b.open();
      const prefix = `${b.name()}/`;
      await b.grant(store, `${prefix}good`, 'a');
      await b.plantForeign?.(`${prefix}stray`);
      const foreign: string[] = [];
      const records = await b.list(store, prefix, (key) => void foreign.push(key));
      expect(records.map(({ name }) => name)).toEqual([`${prefix}good`]);
      const { events, close } = b.watch(store, prefix);
      await b.until('synced', () => events.some(({ kind }) => kind === 'synced'));
      // Some more looks.
      await b.wait(300);
      await close();
      const told = events.flatMap((event) => (event.kind === 'foreign' ? [event.key] : []));
      // Kubernetes has other names for names.
      for (const keys of [foreign, told])
        expect(keys.filter((key) => key.includes('stray'))).toHaveLength(1);
      expect(events.filter(({ kind }) => kind !== 'foreign').map(line)).toEqual([
        `held ${prefix}good a`,
        'synced',
      ]);
      expect([...foreign, ...told].join(' ')).not.toContain('secret');
      await expect(b.acquire(store, `${prefix}stray`, 'b')).rejects.toThrow(/.+/);
    },
  },
  {
    title: 'the clock of a client does not matter: an hour fast or slow, leases live as long',
    async run(b) {
      const sentAt = b.clock.now();
      for (const [holder, skewMs] of [
        ['fast', HOUR_MS],
        ['slow', -HOUR_MS],
      ] as const) {
        const store = b.open();
        const name = b.name();
        const clock = {
          ...b.clock,
          // Where the machine is the registry, its monotonic clock is what counts.
          now: () => b.clock.now() + (b.ownClock ? skewMs : 0),
          wallNow: () => b.clock.wallNow() + skewMs,
        };
        const request = { name, holder, ttlMs: LONG_MS, data: '' };
        const granted = await store.acquire(request, b.call({ clock }));
        expect(granted).toMatchObject({ kind: 'granted' });
        const token = granted.kind === 'granted' ? granted.token : 0n;
        for (const other of [clock, b.clock]) {
          const rival = await store.acquire({ ...request, holder: 'b' }, b.call({ clock: other }));
          expect(rival.kind).toBe('denied');
        }
        await store.release({ ...request, token }, b.call({ clock }));
        const short = { ...request, ttlMs: b.ttlMs };
        const again = await store.acquire(short, b.call({ clock }));
        expect(again).toMatchObject({ kind: 'granted' });
        const renewal = { ...short, token: again.kind === 'granted' ? again.token : 0n };
        expect((await store.renew(renewal, b.call({ clock }))).kind).toBe('renewed');
        await b.until(
          'it is free again',
          async () => (await store.list({ prefix: name }, b.call({ clock }))).length === 0,
          b.ttlMs + b.lateMs + b.timeoutMs,
        );
      }
      expect(b.clock.now() - sentAt).toBeGreaterThanOrEqual(2 * b.ttlMs);
    },
  },
];

function line(event: { kind: string; record?: object; name?: string; token?: bigint }): string {
  if (event.kind === 'held') {
    const { name, holder } = event.record as { name: string; holder: string };
    return `held ${name} ${holder}`;
  }
  return event.kind === 'free' ? `free ${event.name} ${event.token}` : event.kind;
}
