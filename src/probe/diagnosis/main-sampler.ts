import type { PerformanceObserver } from 'node:perf_hooks';
import type { Clock, Timer } from '../../core/clock.js';
import { contain } from '../../core/contain.js';

/** What only the main loop can read of itself; plain data. */
export interface MainSample {
  /** Monotonic time of the reading, by the clock of both threads. */
  readonly at: number;
  readonly heapUsedBytes: number;
  readonly heapLimitBytes: number;
  readonly externalBytes: number;
  /** Milliseconds since the loop began to turn: at work, and waiting. */
  readonly activeMs: number;
  readonly idleMs: number;
  readonly gc: { readonly pauses: number; readonly totalMs: number; readonly longestMs: number };
}

/** Reads the main thread while somebody looks. */
export interface MainSampler {
  read(): MainSample;
  /** Stops observing. */
  dispose(): void;
}

/** Without a reading for this long nobody looks any more. */
const OBSERVE_MS = 60_000;

/**
 * Creates a sampler that does nothing by itself. Garbage collection is observed from the first reading until a minute
 * after the last: nobody who does not look pays for it.
 */
export function createMainSampler(clock: Pick<Clock, 'now' | 'setTimeout'>): MainSampler {
  const { PerformanceObserver: Observer, performance } =
    process.getBuiltinModule('node:perf_hooks');
  const { getHeapStatistics } = process.getBuiltinModule('node:v8');
  let observer: PerformanceObserver | undefined;
  let timer: Timer | undefined;
  let gc = { pauses: 0, totalMs: 0, longestMs: 0 };

  function stop(): void {
    timer?.clear();
    observer?.disconnect();
    observer = undefined;
  }

  function observe(): void {
    gc = { pauses: 0, totalMs: 0, longestMs: 0 };
    observer = new Observer((list) => {
      for (const { duration } of list.getEntries()) {
        gc.pauses += 1;
        gc.totalMs += duration;
        gc.longestMs = Math.max(gc.longestMs, duration);
      }
    });
    // Not every runtime tells of its collections.
    contain(
      () => observer?.observe({ entryTypes: ['gc'] }),
      () => {},
    );
  }

  return {
    read() {
      if (observer === undefined) observe();
      timer?.clear();
      timer = clock.setTimeout(stop, OBSERVE_MS);
      const heap = getHeapStatistics();
      const { active, idle } = performance.eventLoopUtilization();
      return {
        at: clock.now(),
        heapUsedBytes: heap.used_heap_size,
        heapLimitBytes: heap.heap_size_limit,
        externalBytes: heap.external_memory,
        activeMs: active,
        idleMs: idle,
        gc: { ...gc },
      };
    },
    dispose: stop,
  };
}
