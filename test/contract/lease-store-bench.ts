import { expect } from 'vitest';
import type { Clock } from '../../src/core/clock.js';
import type {
  LeaseAcquired,
  LeaseCall,
  LeaseEvent,
  LeaseRecord,
  LeaseStore,
} from '../../src/core/lease-store.js';

/** A way in which a registry can be out of reach. */
export interface StoreFault {
  readonly name: string;
  /** Whether only writes are: that somebody has a lease is still told. @defaultValue false */
  readonly readable?: boolean;
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** One registry under test. */
export interface StoreHarness {
  /** Another client of the same registry, with connections of its own. */
  open(): LeaseStore;
  readonly clock: Clock;
  wait(ms: number): Promise<void>;
  /** A ttl short enough to wait for, long enough for the slowest answer. */
  readonly ttlMs: number;
  /** How much later than its ttl a lease may expire. */
  readonly lateMs: number;
  /** A time-out for calls that will not be answered; those that will have a longer one. */
  readonly timeoutMs: number;
  /** Whether a renewal cannot change the ttl of a lease, only begin it again. @defaultValue false */
  readonly fixedTtl?: boolean;
  /** Whether only the client that was granted a lease can renew it. @defaultValue false */
  readonly heldByClient?: boolean;
  /** Whether the registry keeps how a lease ended. @defaultValue false */
  readonly tellsEnds?: boolean;
  /** Whether the registry has a clock of its own, so that no clock of a client matters. */
  readonly ownClock: boolean;
  /** Ends the registry and starts it again with its data. */
  readonly restart?: () => Promise<void>;
  readonly faults?: readonly StoreFault[];
  /**
   * Writes something that is no lease, and holds the text `secret`, where the lease of this name would be. Absent where the
   * registry takes nothing but leases.
   */
  readonly plantForeign?: (name: string) => Promise<unknown>;
  /** Connections that are open to the registry. */
  readonly connections?: () => number;
  /** Makes the registry believe that it has granted so many tokens of a name that was granted once. */
  readonly forceToken?: (name: string, token: bigint) => Promise<void>;
}

type Granted = Extract<LeaseAcquired, { kind: 'granted' }>;

/** What the cases of the contract work with. */
export interface Bench extends StoreHarness {
  name(): string;
  call(overrides?: Partial<LeaseCall>): LeaseCall;
  /** A call that is given up after `timeoutMs`. */
  hurried(): LeaseCall;
  acquire(store: LeaseStore, name: string, holder: string, ttlMs?: number): Promise<LeaseAcquired>;
  /** The same, which must succeed. */
  grant(store: LeaseStore, name: string, holder: string, ttlMs?: number): Promise<Granted>;
  renew(
    store: LeaseStore,
    name: string,
    holder: string,
    token: bigint,
    ttlMs?: number,
  ): ReturnType<LeaseStore['renew']>;
  release(
    store: LeaseStore,
    name: string,
    holder: string,
    token: bigint,
  ): ReturnType<LeaseStore['release']>;
  list(
    store: LeaseStore,
    prefix: string,
    onForeign?: (key: string) => void,
  ): Promise<readonly LeaseRecord[]>;
  /** Starts a watch whose events are kept. */
  watch(
    store: LeaseStore,
    prefix: string,
    timeoutMs?: number,
  ): { events: LeaseEvent[]; close(): Promise<void> };
  /** Waits until something holds. */
  until(what: string, holds: () => boolean | Promise<boolean>, withinMs?: number): Promise<void>;
  /** Waits for what must settle. */
  settles<T>(what: string, work: Promise<T>, withinMs: number): Promise<T>;
}

/** One thing every store must do. */
export interface ContractCase {
  readonly title: string;
  /** Whether the harness can play it. @defaultValue always */
  readonly applies?: (harness: StoreHarness) => boolean;
  run(bench: Bench): Promise<void>;
}

/** A ttl that no case outlives. */
export const LONG_MS = 60_000;

/** How long a call may take that is answered, on a busy machine. */
const PATIENT_MS = 10_000;

let names = 0;

/** Puts the helpers around a harness; `end` closes what a case has opened. */
export function createBench(harness: StoreHarness): { bench: Bench; end(): Promise<void> } {
  const opened: LeaseStore[] = [];
  const watches: { close(): Promise<void> }[] = [];
  const { clock, timeoutMs } = harness;
  const call = (overrides: Partial<LeaseCall> = {}): LeaseCall => ({
    clock,
    signal: timeout(clock, PATIENT_MS),
    ...overrides,
  });
  const acquire: Bench['acquire'] = (store, name, holder, ttlMs = LONG_MS) =>
    store.acquire({ name, holder, ttlMs, data: '' }, call());
  const bench: Bench = {
    ...harness,
    open() {
      const store = harness.open();
      opened.push(store);
      return store;
    },
    name: () => `contract/${(names += 1)}-${Math.trunc(Math.random() * 1e9)}`,
    call,
    hurried: () => call({ signal: timeout(clock, timeoutMs) }),
    acquire,
    async grant(...args) {
      const answer = await acquire(...args);
      expect(answer).toMatchObject({ kind: 'granted' });
      return answer as Granted;
    },
    renew: (store, name, holder, token, ttlMs = LONG_MS) =>
      store.renew({ name, holder, token, ttlMs, data: '' }, call()),
    release: (store, name, holder, token) => store.release({ name, holder, token }, call()),
    list: (store, prefix, onForeign) =>
      store.list({ prefix }, call(onForeign === undefined ? {} : { onForeign })),
    watch(store, prefix, watchTimeoutMs = PATIENT_MS) {
      const events: LeaseEvent[] = [];
      const context = { clock, everyMs: 50, timeoutMs: watchTimeoutMs };
      const watch = store.watch({ prefix }, (event) => void events.push(event), context);
      watches.push(watch);
      return { events, close: () => watch.close() };
    },
    async until(what, holds, withinMs = 5000) {
      const end = clock.now() + withinMs;
      while (!(await holds())) {
        if (clock.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
        await harness.wait(20);
      }
    },
    async settles(what, work, withinMs) {
      let settled = false;
      const note = (): void => void (settled = true);
      work.then(note, note);
      await bench.until(`${what} settles`, () => settled, withinMs);
      return work;
    },
  };
  return {
    bench,
    async end() {
      for (const watch of watches) await watch.close();
      for (const store of opened) store.close?.();
    },
  };
}

function timeout(clock: Clock, ms: number): AbortSignal {
  const controller = new AbortController();
  clock.setTimeout(() => controller.abort(new Error('the time of this call is up')), ms);
  return controller.signal;
}
