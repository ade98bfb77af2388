import { suspendMs } from './boot-clock.js';
import type { Deadline } from './deadline-cell.js';

/** Ends this process when the deadline of a lease passes, also while the main loop is blocked (H3). */
export interface KillSwitch {
  /**
   * A lease joins.
   * @throws HaleError `HALE_KILL_SWITCH_UNAVAILABLE` where nothing can end the process and nobody has said that it need not.
   */
  admit(): void;
  /** A lease is about to be asked for: from now on the deadline is watched. Idempotent. */
  arm(): void;
  /** Moves the deadline at once, whatever the main loop does next; `undefined` for none. */
  set(deadline: LeaseDeadline | undefined): void;
}

/** The earliest deadline of all leases. */
export interface LeaseDeadline {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly lease: string;
}

/** Time left until a deadline; time in which the machine was suspended has passed. */
export function leftUntil({ at, bootAheadMs }: Deadline, now: number, uptimeMs: number): number {
  return at - now - suspendMs(uptimeMs - now - bootAheadMs, uptimeMs);
}
