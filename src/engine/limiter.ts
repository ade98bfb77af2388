import type { Clock, Timer } from '../core/clock.js';

/** Lets at most so many tasks run at once; the others wait their turn in order of arrival. */
export interface Limiter {
  readonly running: number;
  readonly waiting: number;
  /** Runs a task once there is room; settles as the task does. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

/** Tasks that follow one another at once. Thousands that end without waiting would keep everything else waiting. */
const IN_A_ROW = 100;

/** Creates a limiter for `limit` tasks at once; after a hundred of those that waited, the loop turns before the next. */
export function createLimiter(limit: number, clock: Pick<Clock, 'setTimeout'>): Limiter {
  let running = 0;
  let inARow = 0;
  /** Slots that wait for the loop to turn. */
  let held = 0;
  let pause: Timer | undefined;
  const queue: (() => void)[] = [];

  const release = (): void => {
    // The slot passes straight to the next in line, so a newcomer cannot overtake it.
    const next = pause === undefined ? queue.shift() : undefined;
    if (pause !== undefined) held += 1;
    else if (next === undefined) running -= 1;
    else pass(next);
  };

  const pass = (next: () => void): void => {
    inARow += 1;
    // Somebody waits for what comes behind, and a process that has nothing else must not end meanwhile.
    if (inARow === IN_A_ROW) pause = clock.setTimeout(goOn, 0, { keepsProcessAlive: true });
    next();
  };

  const goOn = (): void => {
    pause = undefined;
    inARow = 0;
    const slots = held;
    held = 0;
    for (let slot = 0; slot < slots; slot += 1) release();
  };

  return {
    get running() {
      return running - held;
    },
    get waiting() {
      return queue.length;
    },
    async run(task) {
      if (running < limit) running += 1;
      else await new Promise<void>((resolve) => queue.push(resolve));
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
