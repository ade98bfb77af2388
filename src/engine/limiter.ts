/** Lets at most so many tasks run at once; the others wait their turn in order of arrival. */
export interface Limiter {
  readonly running: number;
  readonly waiting: number;
  /** Runs a task once there is room; settles as the task does. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

/** Creates a limiter for `limit` tasks at once. */
export function createLimiter(limit: number): Limiter {
  let running = 0;
  const queue: (() => void)[] = [];

  const release = (): void => {
    // The slot passes straight to the next in line, so a newcomer cannot overtake it.
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  };

  return {
    get running() {
      return running;
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
