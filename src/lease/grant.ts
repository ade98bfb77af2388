import { createContainedAbort } from '../core/contained-abort.js';
import { HaleError } from '../core/errors.js';
import type { LeaseClaim } from '../core/lease-store.js';

/**
 * One grant of a lease, from one token to its end. Work keeps the grant it began under: a later one, with a higher token,
 * does not bring it back to life.
 */
export interface LeaseGrant extends LeaseClaim {
  /** Aborts when work must stop; there is time left until {@link LeaseGrant.assertHeld} throws, unless the lease was taken. */
  readonly signal: AbortSignal;
  /** Milliseconds in which work may still be done; 0 once it may not. */
  remainingMs(): number;
  /**
   * To be called right before each write, with nothing awaited in between: compares clocks at every call, so it also
   * throws in a process that was frozen and has not noticed yet.
   * @throws HaleError `HALE_LEASE_LOST` when this grant is over.
   */
  assertHeld(): void;
}

export interface GrantOptions {
  readonly claim: LeaseClaim;
  /** Looks at the time, and lets the keeper notice what has become due. */
  now(): number;
  /** The local deadline as it is now. */
  hardAt(): number;
  onListenerError(error: unknown): void;
}

/** A grant and the right to end it. */
export interface OwnGrant {
  readonly grant: LeaseGrant;
  /** Tells work to stop; `hardAt` stays the last word on when it must have. */
  end(reason: string): void;
}

/** Creates a grant that is held. */
export function createGrant(options: GrantOptions): OwnGrant {
  const { claim } = options;
  const abort = createContainedAbort((error) => options.onListenerError(error));
  const remainingMs = (): number => {
    const now = options.now();
    return Math.max(0, options.hardAt() - now);
  };
  return {
    grant: {
      ...claim,
      signal: abort.signal,
      remainingMs,
      assertHeld() {
        if (remainingMs() === 0) throw lostError(claim);
      },
    },
    end(reason) {
      if (!abort.signal.aborted) abort.abort(lostError(claim, reason));
    },
  };
}

/** The error of work that goes on without its lease. */
export function lostError(
  { name, token }: LeaseClaim,
  reason = 'it is not held any more',
): HaleError {
  return new HaleError('HALE_LEASE_LOST', `lease "${name}" with token ${token}: ${reason}`);
}
