import type { Clock } from '../core/clock.js';
import { MAX_DURATION_MS } from '../core/validate.js';

// Taken once, so that fake timers installed later in the application's tests do not stop hale.
const { setTimeout, clearTimeout, setImmediate, Date } = globalThis;
// Runtimes at the edge have no `process`, or half of one.
const monotonicNs = (globalThis.process as Partial<NodeJS.Process> | undefined)?.hrtime?.bigint;
const { performance } = globalThis;

/**
 * The real time. `now()` is `CLOCK_MONOTONIC` in milliseconds: unlike `performance.now()` it has one origin for all
 * threads of the process. Timers do not keep the process alive unless asked to.
 */
export const systemClock: Clock = {
  now: monotonicNs === undefined ? () => performance.now() : () => Number(monotonicNs()) / 1e6,
  wallNow: () => Date.now(),
  uptimeMs: () => process.getBuiltinModule('node:os').uptime() * 1000,
  setTimeout(callback, delayMs, options) {
    // A longer delay than Node.js can hold would fire at once.
    const timeout = setTimeout(callback, Math.min(delayMs, MAX_DURATION_MS));
    // A number where no process is kept alive by it.
    if (options?.keepsProcessAlive !== true) (timeout as Partial<NodeJS.Timeout>).unref?.();
    return { clear: () => clearTimeout(timeout) };
  },
};

/** Resolves in a later turn of the event loop, after pending promises and the I/O that is already there. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
