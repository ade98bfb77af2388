import { OptionError } from '../core/errors.js';
import type { ConnectionDriver } from '../core/reserved-connection.js';
import type { NatsLeaseEntry } from './nats-entries.js';

/** The part of a `NatsConnection` (@nats-io/transport-node 3, nats 2) that is used. */
export interface NatsLeaseConnection {
  close(): Promise<unknown>;
  closed(): Promise<unknown>;
}

/** The part of a bucket, the `KV` of @nats-io/kv 3 or of nats 2, that is used. */
export interface NatsLeaseBucket {
  get(key: string): Promise<NatsLeaseEntry | null>;
  put(key: string, value: string): Promise<number>;
  create(key: string, value: string): Promise<number>;
  update(key: string, value: string, revision: number): Promise<number>;
  history(options: { key: string }): Promise<AsyncIterable<NatsLeaseEntry>>;
  status(): Promise<{ readonly streamInfo: { readonly config: NatsStreamConfig } }>;
}

/** What a bucket must be like. */
export interface NatsStreamConfig {
  /** Nanoseconds; 0 for ever. */
  readonly max_age: number;
  readonly storage: string;
  readonly mirror?: unknown;
}

/** What opens buckets: a `Kvm` of @nats-io/kv 3. */
export interface NatsLeaseBuckets {
  create(
    name: string,
    options: { history: number; allow_direct: boolean; replicas: number },
  ): Promise<NatsLeaseBucket>;
}

/** How to open a bucket on a connection of its own. */
export interface NatsAccess<C extends NatsLeaseConnection> {
  connect(): Promise<C>;
  buckets(connection: C): NatsLeaseBuckets;
  readonly bucket: string;
  readonly replicas: number;
}

/** A connection that may not be there yet: only the client knows it until it has been opened. */
export interface NatsSlot {
  readonly onLost: () => void;
  connection?: NatsLeaseConnection;
  bucket?: NatsLeaseBucket;
  isDestroyed: boolean;
}

/** Opens the bucket on a fresh connection, and creates it when it is missing. */
export const natsDriver = <C extends NatsLeaseConnection>(
  access: NatsAccess<C>,
): ConnectionDriver<NatsSlot> => ({
  create: (onLost) => ({ onLost, isDestroyed: false }),
  connect: async (slot) => {
    const connection = await access.connect();
    slot.connection = connection;
    if (slot.isDestroyed) {
      end(connection);
      throw new Error('given up while connecting');
    }
    connection.closed().then(slot.onLost, slot.onLost);
    slot.bucket = await openBucket(access, connection);
  },
  destroy(slot) {
    slot.isDestroyed = true;
    if (slot.connection !== undefined) end(slot.connection);
  },
});

/** The bucket of an open connection. */
export function bucketOf({ bucket }: NatsSlot): NatsLeaseBucket {
  if (bucket === undefined) throw new Error('the bucket is not open yet');
  return bucket;
}

function end(connection: NatsLeaseConnection): void {
  (async () => connection.close())().catch(() => {});
}

async function openBucket<C extends NatsLeaseConnection>(
  access: NatsAccess<C>,
  connection: C,
): Promise<NatsLeaseBucket> {
  const { bucket: name, replicas } = access;
  // Any replica may answer a direct read, also one that is behind.
  const options = { history: 1, allow_direct: false, replicas };
  const bucket = await access.buckets(connection).create(name, options);
  const { config } = (await bucket.status()).streamInfo;
  const fault = faultOf(config);
  if (fault !== undefined)
    throw new OptionError('natsLease.bucket', `a bucket ${fault}, which "${name}" is not`, name);
  return bucket;
}

function faultOf({ max_age, storage, mirror }: NatsStreamConfig): string | undefined {
  // A key that goes away by itself frees a lease that somebody has.
  if (max_age !== 0) return 'without a ttl of its own';
  if (storage !== 'file') return 'that is kept in files';
  return mirror === undefined || mirror === null ? undefined : 'that is no mirror';
}

/** Wrong last sequence, the second where the server does not tell which one it was. */
const CONFLICTS = [10_071, 10_164];

/**
 * Writes if the key is still at this revision, 0 for none; returns the new one, or undefined if it was not. Whatever else
 * fails proves nothing.
 */
export async function writeIf(
  bucket: NatsLeaseBucket,
  key: string,
  value: string,
  revision: number,
): Promise<number | undefined> {
  try {
    if (revision === 0) return await bucket.create(key, value);
    return await bucket.update(key, value, revision);
  } catch (error) {
    if (CONFLICTS.includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** The code of JetStream's error: `code` since @nats-io/jetstream 3, before it in `api_error`. */
function codeOf(error: unknown): number {
  const { code, api_error } = (error ?? {}) as {
    code?: unknown;
    api_error?: { err_code?: unknown };
  };
  return Number(api_error?.err_code ?? code);
}
