import { untilAborted } from '../../core/abort.js';
import type { Clock } from '../../core/clock.js';
import { HaleError } from '../../core/errors.js';
import { durationOption } from '../../core/validate.js';

/** What every guard that waits for a server takes. */
export interface GuardTimeOptions {
  /**
   * After which time a write is given up with `HALE_GUARD_TIMEOUT`. It may have taken effect then, or still do, but never
   * after a newer token's.
   * @defaultValue 4000, as long as an attempt to renew a lease waits
   */
  timeoutMs?: number;
  /** @defaultValue the system clock */
  clock?: Clock;
}

/** How long a write of a guard may take. */
export interface TimeLimit {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

const TIMEOUT_MS = 4000;

/** Fills in defaults. @throws OptionError for a time-out that is none */
export function timeLimit(
  guard: string,
  { timeoutMs = TIMEOUT_MS, clock }: GuardTimeOptions,
  systemClock: Clock,
): TimeLimit {
  durationOption(`${guard}.timeoutMs`, timeoutMs);
  return { timeoutMs, clock: clock ?? systemClock };
}

/**
 * Does work that follows its signal, and waits no longer than the limit, or until `given` aborts, whatever it does.
 * @throws HaleError `HALE_GUARD_TIMEOUT`, or the reason of `given`
 */
export async function inTime<T>(
  { clock, timeoutMs }: TimeLimit,
  resource: string,
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  given?.throwIfAborted();
  const own = new AbortController();
  const end = (): void => own.abort(given?.reason);
  given?.addEventListener('abort', end, { once: true });
  const timer = clock.setTimeout(() => own.abort(timeoutError(resource, timeoutMs)), timeoutMs);
  try {
    return await untilAborted(work(own.signal), own.signal);
  } finally {
    timer.clear();
    given?.removeEventListener('abort', end);
  }
}

function timeoutError(resource: string, timeoutMs: number): HaleError {
  const text = `no answer to a write to "${resource}" within ${timeoutMs} ms; whether it took effect is not known`;
  return new HaleError('HALE_GUARD_TIMEOUT', text);
}
