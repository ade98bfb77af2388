import { DEFAULTS } from './defaults.js';
import { OptionError } from './errors.js';
import { durationOption } from './validate.js';

/** The times of a lease, in milliseconds. */
export interface LeaseTimingOptions {
  /** How long the registry keeps a lease that is not renewed. @defaultValue 30000 */
  ttlMs?: number;
  /** Time from one successful renewal to the next attempt. @defaultValue a third of ttlMs */
  renewMs?: number;
  /** Time from a failed attempt to the next. @defaultValue 2000, or a fifteenth of ttlMs if that is less */
  retryMs?: number;
  /** Time after which an attempt counts as unanswered. @defaultValue 4000, or a seventh of ttlMs if that is less */
  attemptTimeoutMs?: number;
  /** Time to stop work: it is told to stop this long before the local deadline. @defaultValue 5000, or a sixth of ttlMs if that is less */
  stopMs?: number;
  /** Kept between the local deadline and the registry's, beside one per cent of the ttl. @defaultValue 500, or a twentieth of ttlMs if that is less */
  marginMs?: number;
}

/** The times of a lease after defaults. */
export type LeaseTiming = Readonly<Required<LeaseTimingOptions>>;

/** Two clocks that run at different speeds: far more than any quartz drifts. */
const DRIFT_SHARE = 0.01;

/**
 * Fills in defaults and refuses what cannot work.
 * @throws OptionError when ttl > time to renew > 1.2 × retry does not hold, or no second attempt fits.
 */
export function resolveLeaseTiming(options: LeaseTimingOptions, minTtlMs = 1): LeaseTiming {
  const path = (name: string): string => `lease.${name}`;
  const { lease } = DEFAULTS;
  const ttlMs = durationOption(path('ttlMs'), options.ttlMs ?? lease.ttlMs, minTtlMs);
  const share = (part: number, most: number): number => Math.min(most, ttlMs / part);
  const timing = {
    ttlMs,
    renewMs: options.renewMs ?? ttlMs / 3,
    retryMs: options.retryMs ?? share(15, lease.retryMs),
    attemptTimeoutMs: options.attemptTimeoutMs ?? share(7, lease.attemptTimeoutMs),
    stopMs: options.stopMs ?? share(6, lease.stopMs),
    marginMs: options.marginMs ?? share(20, lease.marginMs),
  };
  for (const name of ['renewMs', 'retryMs', 'attemptTimeoutMs'] as const)
    durationOption(path(name), timing[name]);
  for (const name of ['stopMs', 'marginMs'] as const) durationOption(path(name), timing[name], 0);
  return checkLeaseTiming(timing);
}

function checkLeaseTiming(timing: LeaseTiming): LeaseTiming {
  const { renewMs, retryMs } = timing;
  const renewWithinMs = hardAfterMs(timing.ttlMs, timing) - timing.stopMs;
  if (renewWithinMs <= 1.2 * retryMs) {
    const accepted = `less than ${round(renewWithinMs / 1.2)}, so that a failed renewal can be tried again before work must stop`;
    throw new OptionError('lease.retryMs', accepted, retryMs);
  }
  if (renewMs + 1.2 * retryMs >= renewWithinMs) {
    const accepted = `less than ${round(renewWithinMs - 1.2 * retryMs)}, so that a failed renewal can be tried again before work must stop`;
    throw new OptionError('lease.renewMs', accepted, renewMs);
  }
  return timing;
}

function round(ms: number): number {
  return Math.max(0, Math.floor(ms));
}

/** From sending a request to the local deadline of what it granted: always before the registry's own. */
export function hardAfterMs(
  grantedMs: number,
  timing: Pick<LeaseTiming, 'ttlMs' | 'marginMs'>,
): number {
  const ttlMs = Math.min(timing.ttlMs, grantedMs);
  return ttlMs * (1 - DRIFT_SHARE) - timing.marginMs;
}
