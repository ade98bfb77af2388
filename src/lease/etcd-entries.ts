import type { LeaseRequest } from '../core/lease-store.js';
import type { EtcdAnswer } from './etcd-gateway.js';
import { ForeignEntry } from './foreign-entry.js';

/** A key that is a lease. */
export interface EtcdEntry {
  readonly key: string;
  readonly holder: string;
  readonly token: bigint;
  readonly ttlMs: number;
  readonly data: string;
  readonly revision: string;
}

/** A key of etcd, as its gateway tells of it. */
export interface EtcdPair {
  readonly key?: string;
  readonly value?: string;
  readonly create_revision?: string;
  readonly mod_revision?: string;
}

/** Keys and values travel in base64. */
export function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString();
}

/** All keys that begin with a text, which must not be empty. */
export function rangeOf(prefix: string): { key: string; range_end: string } {
  const end = Buffer.from(prefix);
  // No byte of UTF-8 is the last one, so none carries over.
  end[end.length - 1] = (end.at(-1) ?? 0) + 1;
  return { key: toBase64(prefix), range_end: end.toString('base64') };
}

/** What is kept in a key. */
export function valueOf({ holder, ttlMs, data }: LeaseRequest): string {
  return toBase64(JSON.stringify({ holder, ttlMs, data }));
}

/** The keys in the answer to a range, in the order of their bytes. */
export function pairsOf(answer: EtcdAnswer): readonly EtcdPair[] {
  return (answer['kvs'] ?? []) as EtcdPair[];
}

/** The lease in a key. @throws ForeignEntry for a key that is none */
export function entryOf(pair: EtcdPair): EtcdEntry {
  const { key = '', value = '', create_revision, mod_revision } = pair;
  const kept = parsed(fromBase64(value));
  if (typeof kept?.holder !== 'string' || !(Number(kept.ttlMs) > 0) || !isRevision(create_revision))
    throw new ForeignEntry('etcd', fromBase64(key));
  return {
    key: fromBase64(key),
    holder: kept.holder,
    token: BigInt(create_revision),
    ttlMs: Number(kept.ttlMs),
    data: String(kept.data),
    revision: String(mod_revision),
  };
}

function parsed(text: string): { holder?: unknown; ttlMs?: unknown; data?: unknown } | undefined {
  try {
    return JSON.parse(text) as { holder?: unknown };
  } catch {
    return undefined;
  }
}

/** Whether it is a number of 64 bits, which come as text; a longer one takes long to read. */
function isRevision(given: unknown): given is string {
  return typeof given === 'string' && /^\d{1,19}$/.test(given);
}

/** The revision an answer was given at. @throws Error when it is no answer of etcd's: then it proves nothing */
export function revisionOf({ header }: EtcdAnswer): bigint {
  const revision = (header as { revision?: unknown } | undefined)?.revision;
  if (!isRevision(revision)) throw new Error('etcd answered without a revision');
  return BigInt(revision);
}

interface Told {
  readonly events?: readonly { readonly type?: string; readonly kv?: EtcdPair }[];
}

/** Whether an answer to a watch tells of a key that came or went. */
export function isChange({ result }: EtcdAnswer): boolean {
  const { events = [] } = (result ?? {}) as Told;
  return events.some(
    ({ type, kv }) => type === 'DELETE' || kv?.create_revision === kv?.mod_revision,
  );
}
