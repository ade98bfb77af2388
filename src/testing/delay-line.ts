import type { Clock, Timer } from '../core/clock.js';

/** Hands items on in the order in which they came, each not before its delay has passed. */
export interface DelayLine<Item> {
  /** Number of items that wait. */
  readonly length: number;
  push(item: Item): void;
  /** Applies to waiting items as well: a shorter delay lets them out earlier, 0 at once. */
  setDelay(delayMs: number): void;
  /** Drops what waits. */
  clear(): void;
}

/** Creates a {@link DelayLine} that calls `deliver`; with delay 0 it does so synchronously. */
export function createDelayLine<Item>(
  clock: Clock,
  deliver: (item: Item) => void,
): DelayLine<Item> {
  const waiting: { item: Item; sinceMs: number }[] = [];
  let delay = 0;
  let timer: Timer | undefined;

  function release(): void {
    timer?.clear();
    timer = undefined;
    for (let head = waiting[0]; head !== undefined; head = waiting[0]) {
      const remainingMs = head.sinceMs + delay - clock.now();
      if (remainingMs > 0) {
        timer = clock.setTimeout(release, remainingMs);
        return;
      }
      waiting.shift();
      deliver(head.item);
    }
  }

  return {
    get length() {
      return waiting.length;
    },
    push(item) {
      waiting.push({ item, sinceMs: clock.now() });
      if (timer === undefined) release();
    },
    setDelay(delayMs) {
      delay = delayMs;
      release();
    },
    clear() {
      timer?.clear();
      timer = undefined;
      waiting.length = 0;
    },
  };
}
