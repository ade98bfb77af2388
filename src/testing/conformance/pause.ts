import type { Clock } from '../../core/clock.js';

const POLL_MS = 20;

/** Resolves after `ms`; holds the process, as a test that waits must. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(resolve, ms, { keepsProcessAlive: true });
  });
}

/** Asks until `holds` says yes, at most for `withinMs`; what it said last. */
export async function eventually(
  clock: Clock,
  withinMs: number,
  holds: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const giveUpAt = clock.now() + withinMs;
  while (!(await holds())) {
    if (clock.now() >= giveUpAt) return false;
    await pause(clock, POLL_MS);
  }
  return true;
}
