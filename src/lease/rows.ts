import { ForeignEntry } from './foreign-entry.js';
import type { LeaseOwner, LeaseRecord } from '../core/lease-store.js';

/** A row as SQL drivers return it; numbers may come as text, depending on the driver and its settings. */
export type Row = Readonly<Record<string, unknown>>;

const TOKEN = /^\d{1,19}$/;

/** The owner that a row with `holder`, `owner_token` and `expires_in_ms` tells of. */
export function ownerOf(row: Row | undefined): LeaseOwner {
  if (typeof row?.['holder'] !== 'string') return {};
  return {
    holder: row['holder'],
    token: tokenOf(row['owner_token']),
    expiresInMs: Math.max(0, Number(row['expires_in_ms'])),
  };
}

/** The record that a row of a list tells of. @throws ForeignEntry for a row that no store of hale's wrote */
export function recordOf(row: Row): LeaseRecord {
  const { name, owner_token: token, ttl_ms: ttlMs } = row;
  // SQLite keeps any text in a column of numbers.
  if (!TOKEN.test(String(token)) || !(Number(ttlMs) > 0))
    throw new ForeignEntry('the table', `name ${String(name)}`);
  return {
    name: String(name),
    holder: String(row['holder']),
    token: tokenOf(token),
    ttlMs: Number(ttlMs),
    expiresInMs: Math.max(0, Number(row['expires_in_ms'])),
    revision: String(row['revision']),
    data: String(row['data']),
  };
}

/**
 * Tokens are selected as text: as numbers they would end at 2^53.
 * @throws Error for what is none, without what it is
 */
export function tokenOf(value: unknown): bigint {
  const text = String(value);
  if (TOKEN.test(text)) return BigInt(text);
  throw new Error('something else than a token is kept under the name of this lease');
}
