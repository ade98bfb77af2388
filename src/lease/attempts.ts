import { untilAborted } from '../core/abort.js';
import type { Clock } from '../core/clock.js';
import type { LeaseCall } from '../core/lease-store.js';

/** How a call to the registry ended for whoever waited: only an answer says anything about the lease. */
export type Attempt<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'error'; readonly error: unknown };

/** Calls to a store, each with an end. */
export interface Attempts {
  /** Makes a call and waits no longer than so many milliseconds, whatever the store does; never rejects. */
  run<T>(timeoutMs: number, call: (call: LeaseCall) => Promise<T>): Promise<Attempt<T>>;
  /** Gives up every call under way. */
  abandon(): void;
}

/** A store that ignores its signal gets no more than this many calls to hang in. */
const MAX_HANGING = 2;

/** Creates the runner; `onLate` hears of each answer that came after its call was given up. */
export function createAttempts(clock: Clock, onLate: () => void): Attempts {
  const waiting = new Set<AbortController>();
  let hanging = 0;

  const start = <T>(given: AbortController, call: (call: LeaseCall) => Promise<T>): Promise<T> => {
    hanging += 1;
    const { signal } = given;
    const answer = (async () => call({ signal, clock }))();
    const settled = (): void => {
      hanging -= 1;
    };
    answer.then(() => {
      settled();
      if (signal.aborted) onLate();
    }, settled);
    return answer;
  };

  return {
    async run(timeoutMs, call) {
      if (hanging >= MAX_HANGING)
        return { kind: 'error', error: new Error(`${hanging} earlier calls to the store hang`) };
      const given = new AbortController();
      waiting.add(given);
      const timer = clock.setTimeout(() => given.abort(), Math.max(0, timeoutMs));
      try {
        const value = await untilAborted(start(given, call), given.signal, () => TIMEOUT);
        return { kind: 'answered', value };
      } catch (error) {
        return error === TIMEOUT ? { kind: 'timeout' } : { kind: 'error', error };
      } finally {
        timer.clear();
        waiting.delete(given);
      }
    },
    abandon() {
      for (const given of [...waiting]) given.abort();
    },
  };
}

const TIMEOUT = new Error('no answer in time');
