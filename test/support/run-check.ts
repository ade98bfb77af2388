import type { Check } from '../../src/core/check.js';
import type { Clock } from '../../src/core/clock.js';
import { silentLogger } from '../../src/core/logger.js';
import { type Outcome, outcomeFromError, outcomeFromResult } from '../../src/core/outcome.js';
import { createRedactor } from '../../src/core/redact.js';

/** A check under test, run by hand as the engine would. */
export interface CheckHarness {
  /** Runs once; after `timeoutMs` the signal aborts, and the outcome says how long it really took. */
  run(): Promise<Outcome>;
  /** Starts it again after `dispose()`. */
  start(): void;
  dispose(): Promise<void>;
}

/** Starts a check on a clock. */
export function harness(check: Check, clock: Clock, timeoutMs = 1_000): CheckHarness {
  const redact = createRedactor();
  const start = () => check.start?.({ clock, logger: silentLogger });
  start();
  return {
    start,
    run: async () => {
      const controller = new AbortController();
      const timer = clock.setTimeout(() => controller.abort(new Error('timed out')), timeoutMs);
      const startedAt = clock.now();
      const time = () => {
        const at = clock.now();
        return { at, wallAt: clock.wallNow(), durationMs: at - startedAt };
      };
      try {
        return outcomeFromResult(await check.run(controller.signal), time(), redact);
      } catch (error) {
        return outcomeFromError(error, time(), redact);
      } finally {
        timer.clear();
      }
    },
    dispose: async () => check.dispose?.(),
  };
}
