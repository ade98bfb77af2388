import type { Clock, Timer } from '../core/clock.js';
import { HaleError } from '../core/errors.js';
import { MAX_DURATION_MS } from '../core/validate.js';

/** Whoever waits for one thing. */
export interface Waiters<T> {
  /** @throws HaleError `HALE_ABORTED` when the signal aborts first. */
  wait(signal: AbortSignal | undefined, what: string): Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
  /** From now on the process lives for as long as somebody waits: nothing else may keep it. */
  keepAlive(clock: Clock): void;
}

/** Creates an empty set; no listener stays on a signal. */
export function createWaiters<T>(): Waiters<T> {
  const waiting = new Set<{ resolve(value: T): void; reject(error: unknown): void }>();
  let clock: Clock | undefined;
  let hold: Timer | undefined;

  const holdOrLetGo = (): void => {
    if (waiting.size === 0) {
      hold?.clear();
      hold = undefined;
    } else {
      hold ??= clock?.setTimeout(() => {}, MAX_DURATION_MS, { keepsProcessAlive: true });
    }
  };

  return {
    wait: (signal, what) =>
      new Promise((resolve, reject) => {
        const onAbort = (): void =>
          waiter.reject(new HaleError('HALE_ABORTED', `stopped waiting for ${what}`));
        const leave = (): void => {
          waiting.delete(waiter);
          holdOrLetGo();
          signal?.removeEventListener('abort', onAbort);
        };
        const waiter = {
          resolve(value: T) {
            leave();
            resolve(value);
          },
          reject(error: unknown) {
            leave();
            reject(error);
          },
        };
        waiting.add(waiter);
        holdOrLetGo();
        signal?.addEventListener('abort', onAbort, { once: true });
        if (signal?.aborted === true) onAbort();
      }),
    resolve(value) {
      for (const waiter of [...waiting]) waiter.resolve(value);
    },
    reject(error) {
      for (const waiter of [...waiting]) waiter.reject(error);
    },
    keepAlive(given) {
      clock = given;
      holdOrLetGo();
    },
  };
}
