import type { LeaseContext, LeaseExit } from '../../src/core/lease-host.js';
import type { LeaseStore } from '../../src/core/lease-store.js';
import { createLease } from '../../src/lease/keeper.js';
import type { LeaseOptions } from '../../src/lease/resolve-lease.js';
import { memoryLease } from '../../src/lease/stores/memory.js';
import { type ManualClock, createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from '../engine/support.js';

/** A clock that also knows of suspends of the machine. */
export interface SuspendableClock extends ManualClock {
  suspend(ms: number): void;
}

export function createSuspendableClock(): SuspendableClock {
  const clock = createManualClock();
  let suspendedMs = 0;
  return Object.create(clock, {
    uptimeMs: { value: () => clock.now() + suspendedMs },
    suspend: {
      value: (ms: number) => {
        suspendedMs += ms;
      },
    },
  }) as SuspendableClock;
}

const NEVER = new AbortController().signal;

/** What a store does to the calls that pass through it. */
export type Fault = 'ok' | 'hang' | 'fail' | 'swallow-answer';

/** A store whose calls can be made to hang, fail, or take effect without an answer. */
export function createFaultyStore(store: LeaseStore = memoryLease()) {
  const control: { fault: Fault; calls: string[]; answer: (() => void)[] } = {
    fault: 'ok',
    calls: [],
    answer: [],
  };
  const through = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    control.calls.push(name);
    const { fault } = control;
    if (fault === 'fail') throw new Error('connection refused');
    if (fault === 'hang')
      return new Promise((resolve) => {
        control.answer.push(() => resolve(call()));
      });
    const answer = await call();
    if (fault === 'swallow-answer') await new Promise(() => {});
    return answer;
  };
  const faulty: LeaseStore = {
    ...store,
    // A request that is on its way does not know that nobody waits for it any more.
    acquire: (request, { clock }) =>
      through('acquire', () => store.acquire(request, { clock, signal: NEVER })),
    renew: (renewal, { clock }) =>
      through('renew', () => store.renew(renewal, { clock, signal: NEVER })),
    release: (claim, { clock }) =>
      through('release', () => store.release(claim, { clock, signal: NEVER })),
  };
  return { store: faulty, inner: store, control };
}

/** A lease with the engine's side played by lists. */
export function setUpLease(options: Partial<LeaseOptions> = {}, clock = createSuspendableClock()) {
  const faulty = createFaultyStore();
  const log = createLog();
  const missing: boolean[] = [];
  const deadlines: (number | undefined)[] = [];
  const exits: (LeaseExit & { at: number })[] = [];
  const lease = createLease({ store: faulty.store, name: 'orders', holder: 'a', ...options });
  const context: LeaseContext = {
    clock,
    random: () => 0,
    logger: log.logger,
    setMissing: (value) => void missing.push(value),
    setDeadline: (at) => void deadlines.push(at),
    exit: (exit) => void exits.push({ ...exit, at: clock.now() }),
  };
  const events = () => log.lines.map(({ fields }) => String(fields['event']));
  return { ...faulty, clock, lease, log, events, missing, deadlines, exits, context };
}

/** The same, started and held. */
export async function holdLease(options: Partial<LeaseOptions> = {}) {
  const set = setUpLease(options);
  set.lease.start(set.context);
  await set.clock.advance(1);
  return { ...set, grantedAt: set.clock.now() };
}
