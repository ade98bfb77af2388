import type { Check } from '../../core/check.js';
import type { Clock } from '../../core/clock.js';
import { HaleError } from '../../core/errors.js';
import { type Outcome, outcomeFromError, outcomeFromResult } from '../../core/outcome.js';
import { createRedactor } from '../../core/redact.js';

/** How one run went. */
export interface TimedRun {
  /** Failed when the run was aborted first, whatever came later. */
  readonly outcome: Outcome;
  /** False when it had not settled `slackMs` after its signal aborted. */
  readonly settled: boolean;
}

/** What {@link timedRun} needs. */
export interface TimedRunOptions {
  readonly check: Check;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly slackMs: number;
  /** Aborts the run early, as disposing does. */
  readonly ended?: AbortSignal;
}

const redact = createRedactor();

/**
 * Runs a check once, aborts it at its timeout and waits for its own promise: the engine would go on without it, but a
 * run that does not end holds what it holds. Lateness of the timers themselves is not held against it.
 */
export function timedRun(options: TimedRunOptions): Promise<TimedRun> {
  const { check, clock, timeoutMs, slackMs, ended } = options;
  const controller = new AbortController();
  const startedAt = clock.now();
  const time = () => {
    const at = clock.now();
    return { at, wallAt: clock.wallNow(), durationMs: at - startedAt };
  };
  return new Promise((resolve) => {
    const abort = () => {
      last.clear();
      ended?.removeEventListener('abort', abort);
      if (controller.signal.aborted) return;
      const reason = new HaleError('HALE_CHECK_TIMEOUT', `no result within ${timeoutMs} ms`);
      last = clock.setTimeout(() => finish(false), slackMs, { keepsProcessAlive: true });
      controller.abort(reason);
    };
    let last = clock.setTimeout(abort, timeoutMs, { keepsProcessAlive: true });
    const finish = (settled: boolean, outcome?: Outcome) => {
      last.clear();
      ended?.removeEventListener('abort', abort);
      resolve({ settled, outcome: outcome ?? failed(controller.signal.reason) });
    };
    const failed = (error: unknown) => outcomeFromError(error, time(), redact);
    ended?.addEventListener('abort', abort, { once: true });
    // The executor turns a synchronous throw into a rejection.
    new Promise((settle) => {
      settle(check.run(controller.signal));
    }).then(
      (result) =>
        controller.signal.aborted
          ? finish(true)
          : finish(true, outcomeFromResult(result, time(), redact)),
      (error: unknown) => finish(true, failed(error)),
    );
  });
}
