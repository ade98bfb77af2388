import type { LeaseParticipant } from '../core/lease-host.js';
import type { LeaseToken } from '../core/lease-store.js';
import type { LeaseGrant } from './grant.js';

/** A lease that is kept as long as the main loop turns and the registry answers. */
export interface Lease extends LeaseParticipant {
  /** Unique to this process and this lease. */
  readonly holder: string;
  /** The present grant; `undefined` while the lease is not held. */
  readonly current: LeaseGrant | undefined;
  /** The present token; `undefined` while the lease is not held. */
  readonly token: LeaseToken | undefined;
  /** The signal of the present grant; one that has aborted while the lease is not held. */
  readonly signal: AbortSignal;
  /**
   * Returns the present grant, for one write.
   * @throws HaleError `HALE_LEASE_LOST` while the lease is not held.
   */
  assertHeld(): LeaseGrant;
  /**
   * Resolves with the grant once the lease is held.
   * @throws HaleError `HALE_ABORTED` when the signal aborts, `HALE_STATE` once it cannot be held any more.
   */
  untilHeld(signal?: AbortSignal): Promise<LeaseGrant>;
  /** Changes the text for observers, from the next renewal on. @throws OptionError when it is none, or too long. */
  update(data: string): void;
}
