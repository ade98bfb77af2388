import { uptime } from 'node:os';
import type { Clock } from '../core/clock.js';
import { MAX_DURATION_MS } from '../core/validate.js';

// Taken once, so that fake timers installed later do not stop the probe side.
const { setTimeout, clearTimeout, Date } = globalThis;

/**
 * The real time on the probe thread: the same `CLOCK_MONOTONIC` milliseconds as the main thread's clock, which it
 * cannot import because the thread is bundled without the engine.
 */
export const threadClock: Clock = {
  now: () => Number(process.hrtime.bigint()) / 1e6,
  wallNow: () => Date.now(),
  uptimeMs: () => uptime() * 1000,
  setTimeout(callback, delayMs, options) {
    const timeout = setTimeout(callback, Math.min(Math.ceil(delayMs), MAX_DURATION_MS));
    if (options?.keepsProcessAlive !== true) timeout.unref();
    // Made to count again first: Node.js wakes up in vain for one that does not.
    return { clear: () => clearTimeout(timeout.ref()) };
  },
};
