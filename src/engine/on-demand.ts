import type { Clock } from '../core/clock.js';

/** Work whose result is shared by all who ask while it runs, and for a while after (C6). */
export interface OnDemand {
  /** Resolves once a fresh enough result is there; rejects as the work does, and then caches nothing. */
  evaluate(): Promise<void>;
}

export interface OnDemandOptions {
  readonly clock: Clock;
  /** One run; resolves with the time in milliseconds for which its result may be served. */
  run(): Promise<number>;
}

/** Creates the cache of one piece of work. */
export function createOnDemand({ clock, run }: OnDemandOptions): OnDemand {
  let freshUntil = -Infinity;
  let running: Promise<void> | undefined;

  const launch = async (): Promise<void> => {
    try {
      const ttlMs = await run();
      freshUntil = clock.now() + ttlMs;
    } finally {
      running = undefined;
    }
  };

  return {
    evaluate() {
      if (running !== undefined) return running;
      if (clock.now() < freshUntil) return Promise.resolve();
      running = launch();
      return running;
    },
  };
}
