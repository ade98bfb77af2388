import { expect } from 'vitest';
import type { LeaseCall, LeaseStore } from '../../src/core/lease-store.js';
import { type Bench, type ContractCase, LONG_MS, type StoreFault } from './lease-store-bench.js';

/** Over its time-out a call may take this long on a busy machine. */
const SLACK_MS = 300;

/** Outages, restarts, time-outs, leaks. */
export const faultCases: readonly ContractCase[] = [
  {
    title: 'H4: tokens only grow over a restart, and a lease is still whose it was, or free',
    applies: ({ restart }) => restart !== undefined,
    async run(b) {
      const name = b.name();
      const other = b.name();
      const before = b.open();
      const { token } = await b.grant(before, name, 'a');
      const released = await b.grant(before, other, 'a');
      await b.release(before, other, 'a', released.token);
      await b.restart?.();
      const after = b.open();
      const next = await b.acquire(after, name, 'b');
      expect(next.kind === 'denied' || next.token > token).toBe(true);
      const holder = b.heldByClient === true ? before : after;
      const renewed = await b.renew(holder, name, 'a', token);
      expect(renewed.kind).toBe(next.kind === 'denied' ? 'renewed' : 'lost');
      expect((await b.grant(after, other, 'b')).token > released.token).toBe(true);
    },
  },
  {
    title:
      'every call ends within its time-out while the registry is out of reach, and works again after',
    applies: ({ faults }) => faults !== undefined,
    async run(b) {
      for (const fault of b.faults ?? []) await outage(b, fault);
    },
  },
  {
    title: 'a watch says that it is blind, and when it sees again',
    applies: ({ faults }) => faults !== undefined,
    async run(b) {
      const store = b.open();
      const name = b.name();
      await b.grant(store, name, 'a');
      const { events } = b.watch(b.open(), name, b.timeoutMs);
      const count = (kind: string) => events.filter((event) => event.kind === kind).length;
      await b.until('synced', () => count('synced') === 1, 10_000);
      const [fault] = b.faults ?? [];
      await during(fault as StoreFault, () =>
        b.until('failed', () => count('failed') > 0, 2 * b.timeoutMs + 1000),
      );
      await b.until('synced again', () => count('synced') > 1, 10_000);
      expect(count('free')).toBe(0);
    },
  },
  {
    title: 'a call that is given up before it begins does nothing',
    async run(b) {
      const store = b.open();
      const name = b.name();
      const given = new AbortController();
      given.abort(new Error('given up'));
      const call = b.call({ signal: given.signal });
      await expect(
        store.acquire({ name, holder: 'a', ttlMs: LONG_MS, data: '' }, call),
      ).rejects.toThrow('given up');
      expect(await b.list(store, name)).toEqual([]);
    },
  },
  {
    title: 'leaves no listener on signals, and no connection after close',
    async run(b) {
      const open = (): number => b.connections?.() ?? 0;
      await b.until('those of earlier cases are closed', () => open() === 0, 2000);
      const store = b.open();
      const name = b.name();
      let listeners = 0;
      for (let round = 0; round < 10; round += 1) {
        const call = countingCall(b, (change) => (listeners += change));
        const granted = await store.acquire({ name, holder: 'a', ttlMs: LONG_MS, data: '' }, call);
        const token = granted.kind === 'granted' ? granted.token : 0n;
        await store.renew({ name, holder: 'a', token, ttlMs: LONG_MS, data: '' }, call);
        await store.list({ prefix: name }, call);
        await store.release({ name, holder: 'a', token }, call);
      }
      expect(listeners).toBe(0);
      const watch = b.watch(store, name);
      await b.until('synced', () => watch.events.length > 0);
      expect(open()).toBeLessThanOrEqual(2);
      await watch.close();
      store.close?.();
      await b.until('closed', () => open() === 0, 2000);
      // A store that is shared with another lease opens again.
      expect((await b.acquire(store, name, 'a')).kind).toBe('granted');
    },
  },
];

async function during(fault: StoreFault, work: () => Promise<void>): Promise<void> {
  await fault.begin();
  try {
    await work();
  } finally {
    await fault.end();
  }
}

async function outage(b: Bench, fault: StoreFault): Promise<void> {
  const store = b.open();
  const name = b.name();
  const { token } = await b.grant(store, name, 'a');
  await during(fault, async () => {
    const calls: ((call: LeaseCall) => Promise<unknown>)[] = [
      (call) => store.renew({ name, holder: 'a', token, ttlMs: LONG_MS, data: '' }, call),
      (call) => store.release({ name, holder: 'b', token }, call),
      (call) => store.acquire({ name, holder: 'b', ttlMs: LONG_MS, data: '' }, call),
      (call) => store.list({ prefix: name }, call),
    ];
    const answered = fault.readable === true ? 'fulfilled' : 'rejected';
    const startedAt = b.clock.now();
    const answers = await b.settles(
      `${fault.name}: every call`,
      Promise.allSettled(calls.map((each) => each(b.hurried()))),
      b.timeoutMs + 5 * SLACK_MS,
    );
    const tookMs = b.clock.now() - startedAt;
    // Whoever cannot ask does not know: nothing may pass for an answer.
    expect([fault.name, ...answers.map(({ status }) => status)]).toEqual([
      ...[fault.name, 'rejected', 'rejected', answered, answered],
    ]);
    // A lease that somebody has is not granted, whatever else is known.
    expect(answers[2]).not.toHaveProperty('value.kind', 'granted');
    expect(tookMs, fault.name).toBeLessThan(b.timeoutMs + SLACK_MS);
  });
  await recovers(b, store, { name, token }, fault.name);
}

async function recovers(
  b: Bench,
  store: LeaseStore,
  { name, token }: { name: string; token: bigint },
  what: string,
): Promise<void> {
  const renewed = async (): Promise<boolean> => {
    const answer = await store
      .renew({ name, holder: 'a', token, ttlMs: LONG_MS, data: '' }, b.hurried())
      .catch(() => undefined);
    // What was asked during the outage may still arrive, but only as it was asked.
    if (answer?.kind === 'lost') throw new Error(`${what}: the lease is lost`);
    return answer !== undefined;
  };
  await b.until(`${what}: renewed again`, renewed, 10_000);
}

function countingCall(b: Bench, onChange: (change: number) => void): LeaseCall {
  const { signal } = new AbortController();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<AbortSignal['addEventListener']>) => {
    onChange(1);
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<AbortSignal['removeEventListener']>) => {
    onChange(-1);
    removeEventListener.apply(signal, args);
  };
  return b.call({ signal });
}
