import type { Clock, TimerOptions } from '../core/clock.js';

/**
 * Starts `work` and waits for it, but no longer than `limitMs`; `false` when the time was up first. What the work
 * does later is dropped.
 * @throws whatever `work` throws or rejects with in time.
 */
export function settlesWithin(
  clock: Clock,
  limitMs: number,
  work: () => unknown,
  options?: TimerOptions,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => resolve(false), limitMs, options);
    new Promise((settle) => {
      settle(work());
    }).then(
      () => {
        timer.clear();
        resolve(true);
      },
      (error: unknown) => {
        timer.clear();
        reject(error);
      },
    );
  });
}
