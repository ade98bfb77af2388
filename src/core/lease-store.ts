import type { Clock } from './clock.js';

/**
 * A fencing token: within one name it only grows, over restarts of the registry too (H4). A bigint, because text sorts
 * `10` before `9` and a number ends at 2^53.
 */
export type LeaseToken = bigint;

/** Who wants what. */
export interface LeaseRequest {
  readonly name: string;
  /** Unique per process start: two processes that share it would share the lease. */
  readonly holder: string;
  readonly ttlMs: number;
  /** Opaque text that observers read, such as the state of the instance. At most 4096 characters. */
  readonly data: string;
}

/** A renewal: it succeeds only while this holder has the lease under this token. */
export interface LeaseRenewal extends LeaseRequest {
  readonly token: LeaseToken;
}

/** What names one grant. */
export type LeaseClaim = Pick<LeaseRenewal, 'name' | 'holder' | 'token'>;

/** What every call to a store is given. */
export interface LeaseCall {
  /** Aborts when nobody waits for the answer any more; the call should settle soon after. */
  readonly signal: AbortSignal;
  /** For backends without a clock of their own. */
  readonly clock: Clock;
  /** Hears, of a list, of each entry below the store's prefix that is none of hale's: its key, cut to 200 characters. */
  readonly onForeign?: (key: string) => void;
  /** Hears, of a list, how each lease ended that nobody has any more, where the registry keeps that. */
  readonly onEnded?: (ended: LeaseEnded) => void;
}

/** Who has a lease, as far as the store could tell. */
export interface LeaseOwner {
  readonly holder?: string;
  readonly token?: LeaseToken;
  /** Time until it expires by the registry's clock. */
  readonly expiresInMs?: number;
}

/** Answers to {@link LeaseStore.acquire}. */
export type LeaseAcquired =
  | {
      readonly kind: 'granted';
      readonly token: LeaseToken;
      /** What the registry granted; some round what was asked. */
      readonly ttlMs: number;
    }
  | { readonly kind: 'denied'; readonly owner: LeaseOwner };

/** Answers to {@link LeaseStore.renew}. */
export type LeaseRenewed =
  | { readonly kind: 'renewed'; readonly ttlMs: number }
  /** A definite refusal: expired, released, or somebody else's by now. */
  | { readonly kind: 'lost'; readonly owner: LeaseOwner };

/** Answers to {@link LeaseStore.release}. */
export interface LeaseReleased {
  /** `not_held`: it was no longer this holder's under this token, and nothing was changed. */
  readonly kind: 'released' | 'not_held';
}

/** A lease that somebody has. */
export interface LeaseRecord {
  readonly name: string;
  readonly holder: string;
  readonly token: LeaseToken;
  readonly ttlMs: number;
  /** Time until it expires by the registry's clock; absent where observers have to time it themselves. */
  readonly expiresInMs?: number;
  /** Changes with every grant and renewal: an observer's proof of life. */
  readonly revision: string;
  readonly data: string;
}

/** How the last grant of a lease ended. */
export interface LeaseEnded {
  readonly name: string;
  readonly token: LeaseToken;
  /** `released`: its holder gave it back. `expired`: it did not renew it in time. */
  readonly why: 'released' | 'expired';
}

/** Which leases. */
export interface LeaseQuery {
  /** Only names that begin with this. @defaultValue '' */
  readonly prefix?: string;
}

/** What a watch tells. */
export type LeaseEvent =
  /** Told for every lease at first, then at each grant and renewal. */
  | {
      readonly kind: 'held';
      readonly record: LeaseRecord;
      /**
       * How many milliseconds ago it may have been granted or renewed: since the look before, Infinity at the first one.
       * @defaultValue 0: told at once
       */
      readonly withinMs?: number;
    }
  /** Released or expired. */
  | {
      readonly kind: 'free';
      readonly name: string;
      readonly token: LeaseToken;
      /** Absent where the registry does not keep it. */
      readonly why?: LeaseEnded['why'];
    }
  /** Everything told so far is complete as of now: after the first look, and after each one that follows a failure. */
  | { readonly kind: 'synced' }
  /** Something below the store's prefix is none of hale's, and left out; told once for each of the first 100 keys. */
  | { readonly kind: 'foreign'; readonly key: string }
  /** Nothing is known until the next `synced`; told once per outage. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** A watch under way. */
export interface LeaseWatch {
  /** Ends it and releases what it holds; idempotent, never rejects. */
  close(): Promise<void>;
}

/**
 * A registry of leases. A call that rejects says nothing about the lease: it may or may not have taken effect. Only an
 * answer decides, and only the registry's own clock (or the machine's, for backends on one machine) expires a lease.
 */
export interface LeaseStore {
  /** The backend's name, such as `postgres`. */
  readonly backend: string;
  /** The shortest ttl it keeps exactly. @defaultValue 1 */
  readonly minTtlMs?: number;
  /**
   * Grants a free or expired lease, with a token above every earlier one of the name. The present holder may be granted
   * its own again, then with a new token, or be denied until it expires.
   */
  acquire(request: LeaseRequest, call: LeaseCall): Promise<LeaseAcquired>;
  /** Extends the lease to `ttlMs` from now if, and only if, holder and token match and it has not expired. */
  renew(renewal: LeaseRenewal, call: LeaseCall): Promise<LeaseRenewed>;
  /** Frees the lease if holder and token match. */
  release(claim: LeaseClaim, call: LeaseCall): Promise<LeaseReleased>;
  /** The leases that somebody has now, by name. What is none of hale's is told to the call and left out. */
  list(query: LeaseQuery, call: LeaseCall): Promise<readonly LeaseRecord[]>;
  /** Tells of changes until it is closed. Renewals may be told late, or several as one. */
  watch(
    query: LeaseQuery,
    listener: (event: LeaseEvent) => void,
    context: LeaseWatchContext,
  ): LeaseWatch;
  /** Closes what is open; a later call opens it again, because several leases may share a store. Never throws. */
  close?(): void;
}

/** What a watch is given. */
export interface LeaseWatchContext {
  readonly clock: Clock;
  /** Time between two looks where the registry does not tell of changes. @defaultValue 1000 */
  readonly everyMs?: number;
  /** Time after which a look is given up. @defaultValue 4000 */
  readonly timeoutMs?: number;
}
