import type { Clock, Random } from './clock.js';
import type { Logger } from './logger.js';

/** How one attempt ended: a bounded label for metrics. */
export const LEASE_OUTCOMES = [
  'granted',
  'denied',
  'renewed',
  /** The registry refused a renewal: the lease is gone. */
  'refused',
  'timeout',
  'error',
  /** An answer that came after it was given up, or too late to be of use. */
  'late',
  /** A token that is not above every earlier one: the registry has forgotten something. */
  'regressed',
  'released',
  /** It was no longer held when it was to be released. */
  'not_held',
] as const;

export type LeaseOutcome = (typeof LEASE_OUTCOMES)[number];

/** Every state of a lease. */
export const LEASE_STATES = ['idle', 'acquiring', 'held', 'lost', 'released'] as const;

/** A lease as metrics and people see it. */
export interface LeaseView {
  readonly name: string;
  readonly backend: string;
  readonly holder: string;
  readonly impact: LeaseImpact;
  readonly state: (typeof LEASE_STATES)[number];
  /** The token; not called so, because a field called `token` holds a secret for every redactor. */
  readonly fence?: string;
  /** Time until work is told to stop unless the lease is renewed. */
  readonly remainingMs?: number;
  readonly outcomes: Readonly<Record<LeaseOutcome, number>>;
  /** Time between sending the last answered request and its answer. */
  readonly lastLatencyMs?: number;
}

/** `critical`: readiness fails while the lease is not held. `optional`: a standby without it is as ready as the holder. */
export type LeaseImpact = 'critical' | 'optional';

/** A process that must end because of a lease. */
export interface LeaseExit {
  readonly reason: string;
  /** Monotonic time at which the process must have ended. */
  readonly exitBy: number;
  /** Whether there is time to drain; otherwise it ends once `fenced` settles. */
  readonly drain: boolean;
  /** Settles once the fence hook is done; never rejects. */
  readonly fenced: Promise<void>;
}

/** What a lease is given when it joins the health of a process. */
export interface LeaseContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Readiness fails with `lease_lost` while a critical lease is missing. */
  setMissing(missing: boolean): void;
  /**
   * Monotonic time at which the process must be dead unless this is called again; `undefined` for never. Called before
   * the lease is used, and at each renewal.
   */
  setDeadline(at: number | undefined): void;
  /** Ends the process with a code other than 0. */
  exit(exit: LeaseExit): void;
}

/** A lease that joins the health of a process with `health.lease()`. */
export interface LeaseParticipant {
  readonly name: string;
  readonly impact: LeaseImpact;
  /**
   * Begins to acquire; called once the process has started.
   * @throws HaleError `HALE_STATE` when it has been started before.
   */
  start(context: LeaseContext): void;
  /** Gives the lease up for good, for work has stopped; gives up waiting for the registry when the signal aborts. */
  release(signal?: AbortSignal): Promise<void>;
  /** Ends without telling the registry, where the lease then expires: work may not have stopped. Idempotent. */
  stop(): void;
  view(): LeaseView;
}
