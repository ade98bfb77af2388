import type { LeaseRequest } from '../core/lease-store.js';
import { ForeignEntry } from './foreign-entry.js';

/** A key of Consul, as its HTTP API tells of it. */
export interface ConsulPair {
  readonly Key: string;
  readonly Value: string | null;
  readonly LockIndex: number;
  readonly ModifyIndex: number;
  readonly Session?: string;
}

/** A key that is a lease. */
export interface ConsulEntry {
  readonly name: string;
  readonly holder: string;
  /** What holds the lock; absent when the lease is free. */
  readonly session: string | undefined;
  readonly token: bigint;
  readonly ttlMs: number;
  readonly data: string;
  readonly revision: string;
  /** Renewals so far: a write that changes nothing would not be seen. */
  readonly renewals: number;
  /** Whether the last holder gave it back. */
  readonly released: boolean;
}

/**
 * Keys of Consul's HTTP API are paths without empty parts, and its later versions take nothing but letters, digits and a
 * few signs in them.
 */
export function keyOf(prefix: string, name: string): string {
  const bytes = Buffer.from(name).toString('latin1');
  return prefix + bytes.replaceAll(/[^A-Za-z0-9/-]|(?<=^|\/)\//g, escaped);
}

function escaped(byte: string): string {
  return `_${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Whether keys may begin with it. */
export function isKeyPrefix(prefix: string): boolean {
  return prefix.length <= 200 && /^(?:[A-Za-z0-9_-]+\/)*[A-Za-z0-9_-]*$/.test(prefix);
}

/** What is kept in a key, in base64. */
export function valueOf(
  { name, holder, ttlMs, data }: LeaseRequest,
  renewals: number,
  released = false,
): { Value: string } {
  const text = JSON.stringify({
    ...{ name, holder, ttlMs, data, renewals },
    ...(released && { released }),
  });
  return { Value: Buffer.from(text).toString('base64') };
}

/** @throws ForeignEntry for a key that is no lease */
export function entryOf({ Key, Value, LockIndex, ModifyIndex, Session }: ConsulPair): ConsulEntry {
  const kept = parsed(Buffer.from(Value ?? '', 'base64').toString());
  if (
    typeof kept?.['name'] !== 'string' ||
    (Session && !(Number(kept['ttlMs']) > 0)) ||
    !Number.isSafeInteger(LockIndex)
  )
    throw new ForeignEntry('Consul', Key);
  return {
    name: kept['name'],
    holder: String(kept['holder']),
    session: Session || undefined,
    token: BigInt(LockIndex),
    ttlMs: Number(kept['ttlMs']),
    data: String(kept['data']),
    revision: String(ModifyIndex),
    renewals: Number(kept['renewals']),
    released: kept['released'] === true,
  };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
