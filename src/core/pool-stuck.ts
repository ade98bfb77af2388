import type { Check, CheckContext, CheckResult } from './check.js';
import { contain } from './contain.js';
import { errorText } from './error-text.js';
import { HaleError } from './errors.js';
import { type Outcome, outcomeFromError, outcomeFromResult } from './outcome.js';
import { durationOption, functionOption, objectOption } from './validate.js';

/** How to tell a pool that is dead for good from one that is only exhausted. */
export interface PoolStuckOptions {
  /**
   * Creates a deep check of the same server, such as `() => postgresQuery(() => new pg.Client(config))`. It is created,
   * run once and disposed in each run in which the pool is exhausted, so that its connection is a fresh one.
   */
  fresh: () => Check;
  /**
   * Called once when the pool has been stuck for `onStuckAfterMs`, with a reason for `health.fatal()`. Without it the
   * outcome `pool_stuck` is only reported.
   */
  onStuck?: (reason: string) => void;
  /**
   * How long the pool must have been stuck, in milliseconds and without a break, before `onStuck` is called: longer than
   * any statement of yours may take, since a restart is no cure for slow queries.
   * @defaultValue 120000
   */
  onStuckAfterMs?: number;
}

/** Tells a stuck pool from an exhausted one. */
export interface StuckWatch {
  start(context: CheckContext): void;
  /**
   * Returns what the pool rule said, but asks on a fresh connection first when that was `pool_exhausted`: if the server
   * answers there, the pool is what is broken (`pool_stuck`).
   */
  judge(result: CheckResult, signal: AbortSignal): Promise<CheckResult>;
  stop(): void;
}

/**
 * Creates a {@link StuckWatch} for the check `name`.
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function createStuckWatch(name: string, options: PoolStuckOptions): StuckWatch {
  const { fresh, onStuck, onStuckAfterMs = 120_000 } = objectOption(`${name}.stuck`, options);
  functionOption(`${name}.stuck.fresh`, fresh);
  if (onStuck !== undefined) functionOption(`${name}.stuck.onStuck`, onStuck);
  durationOption(`${name}.stuck.onStuckAfterMs`, onStuckAfterMs);
  let context: CheckContext | undefined;
  let since: number | undefined;
  let isTold = false;
  const forget = () => {
    since = undefined;
    isTold = false;
  };
  const tell = ({ clock, logger }: CheckContext) => {
    since ??= clock.now();
    const stuckMs = clock.now() - since;
    if (isTold || stuckMs < onStuckAfterMs) return;
    isTold = true;
    const reason = `${name}: the pool gives no connection while a fresh one works`;
    contain(
      () => onStuck?.(reason),
      (error) => {
        const output = errorText(error);
        logger.error({ event: 'on_stuck_failed', output }, `stuck.onStuck threw: ${output}`);
      },
    );
  };
  return {
    start: (given) => {
      context = given;
    },
    stop: () => {
      context = undefined;
      forget();
    },
    judge: async (result, signal) => {
      if (context === undefined) throw new HaleError('HALE_STATE', `${name} was not started`);
      if (result.code !== 'pool_exhausted') {
        forget();
        return result;
      }
      const { status, output } = await askFresh(fresh, context, signal);
      if (status !== 'pass') {
        // The server is what is missing, or nobody knows: no reason to blame the pool.
        forget();
        return { ...result, output: `${result.output}; a fresh connection fails too: ${output}` };
      }
      tell(context);
      const told = `${result.output}; a fresh connection works`;
      return { ...result, code: 'pool_stuck', output: told };
    },
  };
}

async function askFresh(
  fresh: () => Check,
  context: CheckContext,
  signal: AbortSignal,
): Promise<Outcome> {
  const time = { at: 0, wallAt: 0, durationMs: 0 };
  // What is kept is redacted with the whole text.
  const asIs = (text: string) => text;
  let check: Check | undefined;
  try {
    check = fresh();
    check.start?.(context);
    return outcomeFromResult(await check.run(signal), time, asIs);
  } catch (error) {
    return outcomeFromError(error, time, asIs);
  } finally {
    await check?.dispose?.();
  }
}
