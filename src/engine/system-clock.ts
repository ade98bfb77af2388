import type { Clock } from '../core/clock.js';
import { MAX_DURATION_MS } from '../core/validate.js';

// Taken once, so that fake timers installed later in the application's tests do not stop hale.
const { setTimeout, clearTimeout, setImmediate, Date } = globalThis;
// Runtimes at the edge have no `process`, or half of one.
const monotonicNs = (globalThis.process as Partial<NodeJS.Process> | undefined)?.hrtime?.bigint;
// Not taken where it is not needed: Node.js loads a module for it.
const performance = monotonicNs === undefined ? globalThis.performance : undefined;

/**
 * The real time. `now()` is `CLOCK_MONOTONIC` in milliseconds: unlike `performance.now()` it has one origin for all
 * threads of the process. Timers do not keep the process alive unless asked to.
 */
export const systemClock: Clock = {
  now:
    monotonicNs === undefined ? () => performance?.now() ?? 0 : () => Number(monotonicNs()) / 1e6,
  wallNow: () => Date.now(),
  uptimeMs: () => process.getBuiltinModule('node:os').uptime() * 1000,
  setTimeout(callback, delayMs, options) {
    // A longer delay than Node.js can hold would fire at once.
    // Whole milliseconds, as Node.js would cut off the rest when it starts the timer, but not when it ends it.
    const timeout = setTimeout(callback, Math.min(Math.ceil(delayMs), MAX_DURATION_MS));
    // A number where no process is kept alive by it.
    const { ref, unref } = timeout as Partial<NodeJS.Timeout>;
    if (options?.keepsProcessAlive !== true) unref?.call(timeout);
    return {
      clear() {
        // Node.js keeps the list of a cleared timer that does not keep the process alive, and wakes up in vain for it.
        ref?.call(timeout);
        clearTimeout(timeout);
      },
    };
  },
};

/** Resolves in a later turn of the event loop, after pending promises and the I/O that is already there. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
