import { ForeignEntry } from './foreign-entry.js';
import type { LeaseClaim, LeaseOwner, LeaseRecord, LeaseRequest } from '../core/lease-store.js';

/** The part of an entry of a bucket that is used. */
export interface NatsLeaseEntry {
  readonly key: string;
  readonly value: Uint8Array;
  /** The server's time of the write. */
  readonly created: Date;
  readonly revision: number;
  readonly operation: string;
}

/** What is kept under a key. */
interface Kept {
  readonly holder: string;
  readonly ttlMs: number;
  readonly data: string;
  /** The revision that granted it; absent in that revision itself. */
  readonly token?: string;
  readonly released?: boolean;
}

/** A key as of one revision. */
export interface NatsLease {
  readonly name: string;
  readonly revision: number;
  readonly writtenAtMs: number;
  /** Absent when nobody has it; whether it has expired is a question of the time. */
  readonly grant?: Omit<Kept, 'token'> & { readonly token: bigint };
}

/** Written to be read again: its time is the server's. */
export const CLOCK_KEY = 'clock';

const LEASE_KEYS = 'lease.';

/** Names may hold anything, keys letters, digits, `-`, `_`, `=` and `/`. */
export function keyOf(name: string): string {
  const escaped = encodeURIComponent(name).replaceAll(
    /[!~*'().]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  );
  return LEASE_KEYS + escaped.replaceAll('%', '=');
}

function nameOf(key: string): string {
  try {
    return decodeURIComponent(key.slice(LEASE_KEYS.length).replaceAll('=', '%'));
  } catch {
    throw new ForeignEntry('NATS', key);
  }
}

/** The value of a grant, or with `token` of a renewal. */
export function valueOf({ holder, ttlMs, data }: LeaseRequest, token?: bigint): string {
  return JSON.stringify({ holder, ttlMs, data, ...(token !== undefined && { token: `${token}` }) });
}

/** The value of what was released; the holder is for people who look at the bucket. */
export function releasedValueOf({ holder, token }: LeaseClaim): string {
  return JSON.stringify({ holder, token: String(token), released: true });
}

/** The lease in an entry. @throws ForeignEntry for an entry that is none: then it proves nothing */
export function leaseOf(entry: NatsLeaseEntry): NatsLease {
  const { revision, created } = entry;
  const lease = { name: nameOf(entry.key), revision, writtenAtMs: created.getTime() };
  if (entry.operation !== 'PUT') return lease;
  const kept = parsed(new TextDecoder().decode(entry.value));
  if (kept?.released === true) return lease;
  if (typeof kept?.holder !== 'string' || !(Number(kept.ttlMs) > 0))
    throw new ForeignEntry('NATS', entry.key);
  const token = kept.token ?? String(revision);
  if (!/^\d{1,19}$/.test(token)) throw new ForeignEntry('NATS', entry.key);
  return { ...lease, grant: { ...kept, token: BigInt(token) } };
}

function parsed(text: string): Kept | undefined {
  try {
    return JSON.parse(text) as Kept;
  } catch {
    return undefined;
  }
}

/** Whether somebody was granted it and has not released it, expired or not. */
export function isClaim(lease: NatsLease | undefined, { holder, token }: LeaseClaim): boolean {
  return lease?.grant?.holder === holder && lease.grant.token === token;
}

/** Whether it has expired by the server's time; times are cut to milliseconds, so that equal may be a little early. */
export function isExpired({ writtenAtMs, grant }: NatsLease, nowMs: number): boolean {
  return grant !== undefined && nowMs - writtenAtMs > grant.ttlMs;
}

/** Who has it; without the time the answer leaves out when it ends. */
export function ownerOf(lease: NatsLease | undefined, nowMs?: number): LeaseOwner {
  if (lease?.grant === undefined) return {};
  const { holder, token } = lease.grant;
  return nowMs === undefined
    ? { holder, token }
    : { holder, token, expiresInMs: expiresInMs(lease, nowMs) };
}

/** What observers are told; undefined for a lease that nobody has. */
export function recordOf(lease: NatsLease, nowMs: number): LeaseRecord | undefined {
  const { name, grant, revision } = lease;
  if (grant === undefined || isExpired(lease, nowMs)) return undefined;
  return {
    name,
    holder: grant.holder,
    token: grant.token,
    ttlMs: grant.ttlMs,
    expiresInMs: expiresInMs(lease, nowMs),
    revision: String(revision),
    data: grant.data,
  };
}

function expiresInMs({ writtenAtMs, grant }: NatsLease, nowMs: number): number {
  const ttlMs = grant?.ttlMs ?? 0;
  return Math.min(ttlMs, Math.max(0, writtenAtMs + ttlMs - nowMs));
}
