import { OptionError } from '../../core/errors.js';
import type { LeaseCall, LeaseClaim, LeaseOwner, LeaseStore } from '../../core/lease-store.js';
import {
  type ReservedConnection,
  createReservedConnection,
} from '../../core/reserved-connection.js';
import { functionOption, integerOption, objectOption } from '../../core/validate.js';
import { readable } from '../foreign-entry.js';
import {
  type NatsAccess,
  type NatsLeaseBucket,
  type NatsLeaseBuckets,
  type NatsLeaseConnection,
  type NatsSlot,
  bucketOf,
  natsDriver,
  writeIf,
} from '../nats-bucket.js';
import {
  CLOCK_KEY,
  type NatsLease,
  type NatsLeaseEntry,
  isClaim,
  isExpired,
  keyOf,
  leaseOf,
  ownerOf,
  recordOf,
  releasedValueOf,
  valueOf,
} from '../nats-entries.js';
import { createPollWatch } from '../poll-watch.js';

export type { NatsLeaseBucket, NatsLeaseBuckets, NatsLeaseConnection } from '../nats-bucket.js';

/** Options of {@link natsLease}. */
export interface NatsLeaseOptions {
  /** Created when it does not exist. @defaultValue 'hale_leases' */
  bucket?: string;
  /** On how many servers of the cluster a bucket is kept that is created, 1 to 5. @defaultValue 1 */
  replicas?: number;
}

/**
 * Keeps leases in a key-value bucket of NATS JetStream (server 2.9 or later), on a connection of its own, which is closed
 * when there is no answer in time.
 *
 * - Guarantees: one holder, and tokens that only grow, over restarts and, with three replicas, over the loss of a server:
 *   each grant, renewal and release is written only if nothing was written since it was read. The token is the revision
 *   that granted it. Whether a lease has expired is a matter of two times of the server's, of the write of the lease and
 *   of a later write; the client's clock does not matter. Keys are never deleted.
 * - Does not: survive a power cut for certain unless the server has `sync_interval: always`. The servers of a cluster each
 *   have a clock: a jump, or a difference between the old and the new leader, expires leases early or late. Deleting the
 *   bucket starts tokens again.
 *
 * @param connect - opens a fresh connection: `() => connect({ servers, timeout: 4000 })` of @nats-io/transport-node
 * @param buckets - what opens buckets on it: `(connection) => new Kvm(connection)` of @nats-io/kv
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function natsLease<C extends NatsLeaseConnection>(
  connect: () => Promise<C>,
  buckets: (connection: C) => NatsLeaseBuckets,
  options: NatsLeaseOptions = {},
): LeaseStore {
  functionOption('natsLease.connect', connect);
  functionOption('natsLease.buckets', buckets);
  const { bucket = 'hale_leases', replicas = 1 } = objectOption('natsLease', options);
  if (typeof bucket !== 'string' || !/^[-\w]{1,200}$/.test(bucket))
    throw new OptionError('natsLease.bucket', 'letters, digits, - and _, at most 200', bucket);
  integerOption('natsLease.replicas', replicas, { min: 1, max: 5 });
  return new NatsStore({ connect, buckets, bucket, replicas });
}

class NatsStore<C extends NatsLeaseConnection> implements LeaseStore {
  readonly backend = 'nats';
  readonly #access: NatsAccess<C>;
  /** The last revisions this store has written and may have to renew, by name. */
  readonly #written = new Map<string, number>();
  #connection: ReservedConnection<NatsSlot> | undefined;

  constructor(access: NatsAccess<C>) {
    this.#access = access;
  }

  acquire(
    ...[request, call]: Parameters<LeaseStore['acquire']>
  ): ReturnType<LeaseStore['acquire']> {
    return this.#use(call, async (bucket) => {
      const { name, holder, ttlMs } = request;
      this.#written.delete(name);
      const present = await look(bucket, name);
      const isOthers = present?.grant !== undefined && present.grant.holder !== holder;
      const owner = isOthers ? await ownerNow(bucket, present) : undefined;
      if (owner !== undefined) return { kind: 'denied', owner };
      const revision = await writeIf(bucket, keyOf(name), valueOf(request), revisionOf(present));
      if (revision === undefined)
        return { kind: 'denied', owner: ownerOf(await look(bucket, name)) };
      this.#written.set(name, revision);
      return { kind: 'granted', token: BigInt(revision), ttlMs };
    });
  }

  renew(...[renewal, call]: Parameters<LeaseStore['renew']>): ReturnType<LeaseStore['renew']> {
    return this.#use(call, async (bucket) => {
      const { name, ttlMs, token } = renewal;
      const written = await this.#replace(bucket, renewal, valueOf(renewal, token));
      if (written.kind === 'not_held') return { kind: 'lost', owner: written.owner };
      if (written.hadExpired === undefined)
        throw new Error('the lease was written again before its time was known');
      if (!written.hadExpired) return { kind: 'renewed', ttlMs };
      // Nobody has taken it meanwhile, but observers may have called it free.
      await writeIf(bucket, keyOf(name), releasedValueOf(renewal), written.revision);
      return { kind: 'lost', owner: {} };
    });
  }

  release(...[claim, call]: Parameters<LeaseStore['release']>): ReturnType<LeaseStore['release']> {
    return this.#use(call, async (bucket) => {
      const written = await this.#replace(bucket, claim, releasedValueOf(claim));
      this.#written.delete(claim.name);
      const isReleased = written.kind === 'written' && written.hadExpired !== true;
      return { kind: isReleased ? 'released' : 'not_held' };
    });
  }

  list(...[{ prefix = '' }, call]: Parameters<LeaseStore['list']>): ReturnType<LeaseStore['list']> {
    return this.#use(call, async (bucket) => {
      await bucket.put(CLOCK_KEY, '');
      const start = keyOf(prefix);
      const entries = new Map<string, NatsLeaseEntry>();
      let nowMs: number | undefined;
      for await (const entry of await bucket.history({ key: '>' })) {
        if (entry.key === CLOCK_KEY) nowMs = entry.created.getTime();
        else if (entry.key.startsWith(start)) entries.set(entry.key, entry);
      }
      if (nowMs === undefined) throw new Error('NATS did not tell all keys of the bucket');
      const now = nowMs;
      return readable(entries.values(), (entry) => recordOf(leaseOf(entry), now), call);
    });
  }

  watch(
    ...[query, listener, context]: Parameters<LeaseStore['watch']>
  ): ReturnType<LeaseStore['watch']> {
    const own = new NatsStore(this.#access);
    const list = (call: LeaseCall): ReturnType<LeaseStore['list']> => own.list(query, call);
    return createPollWatch({ context, listener, list, close: () => own.close() });
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #use<T>({ signal }: LeaseCall, work: (bucket: NatsLeaseBucket) => Promise<T>): Promise<T> {
    this.#connection ??= createReservedConnection(natsDriver(this.#access));
    return this.#connection.ask((slot) => work(bucketOf(slot)), signal);
  }

  /** Writes what follows upon a claim, if it is still the last that was written. */
  async #replace(bucket: NatsLeaseBucket, claim: LeaseClaim, value: string): Promise<Replaced> {
    const { name } = claim;
    const before = await look(bucket, name);
    if (before !== undefined && before.revision < (this.#written.get(name) ?? 0))
      throw new Error('NATS answered with less than it had confirmed before');
    if (before === undefined || !isClaim(before, claim)) return notHeld(before);
    const revision = await writeIf(bucket, keyOf(name), value, before.revision);
    const after = await look(bucket, name);
    if (revision === undefined) {
      if (!isClaim(after, claim)) return notHeld(after);
      throw new Error('another call for the same grant came in between');
    }
    this.#written.set(name, revision);
    const isLast = after?.revision === revision;
    return {
      kind: 'written',
      revision,
      ...(isLast && { hadExpired: isExpired(before, after.writtenAtMs) }),
    };
  }
}

type Replaced =
  | { readonly kind: 'not_held'; readonly owner: LeaseOwner }
  | {
      readonly kind: 'written';
      readonly revision: number;
      /** Whether it had expired when it was written; absent if another write came before the time of this one was read. */
      readonly hadExpired?: boolean;
    };

const notHeld = (lease: NatsLease | undefined): Replaced => ({
  kind: 'not_held',
  owner: ownerOf(lease),
});

const revisionOf = (lease: NatsLease | undefined): number => lease?.revision ?? 0;

async function look(bucket: NatsLeaseBucket, name: string): Promise<NatsLease | undefined> {
  const entry = await bucket.get(keyOf(name));
  return entry === null ? undefined : leaseOf(entry);
}

/** Who has it now, by the server's time: that of a write of this moment. */
async function ownerNow(
  bucket: NatsLeaseBucket,
  lease: NatsLease,
): Promise<LeaseOwner | undefined> {
  await bucket.put(CLOCK_KEY, '');
  const clock = await bucket.get(CLOCK_KEY);
  if (clock === null) throw new Error('NATS does not have what was just written');
  const nowMs = clock.created.getTime();
  return isExpired(lease, nowMs) ? undefined : ownerOf(lease, nowMs);
}
