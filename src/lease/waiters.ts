import { HaleError } from '../core/errors.js';

/** Whoever waits for one thing. */
export interface Waiters<T> {
  /** @throws HaleError `HALE_ABORTED` when the signal aborts first. */
  wait(signal: AbortSignal | undefined, what: string): Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** Creates an empty set; no listener stays on a signal. */
export function createWaiters<T>(): Waiters<T> {
  const waiting = new Set<{ resolve(value: T): void; reject(error: unknown): void }>();
  return {
    wait: (signal, what) =>
      new Promise((resolve, reject) => {
        const onAbort = (): void =>
          waiter.reject(new HaleError('HALE_ABORTED', `stopped waiting for ${what}`));
        const leave = (): void => {
          waiting.delete(waiter);
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
        signal?.addEventListener('abort', onAbort, { once: true });
        if (signal?.aborted === true) onAbort();
      }),
    resolve(value) {
      for (const waiter of [...waiting]) waiter.resolve(value);
    },
    reject(error) {
      for (const waiter of [...waiting]) waiter.reject(error);
    },
  };
}
