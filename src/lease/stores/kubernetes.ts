import { OptionError } from '../../core/errors.js';
import type {
  LeaseAcquired,
  LeaseCall,
  LeaseClaim,
  LeaseOwner,
  LeaseRecord,
  LeaseReleased,
  LeaseRenewed,
  LeaseStore,
} from '../../core/lease-store.js';
import { objectOption } from '../../core/validate.js';
import { readable } from '../foreign-entry.js';
import { type KubernetesAccessOptions, kubernetesAccess } from '../kubernetes-access.js';
import { KubernetesApi } from '../kubernetes-api.js';
import {
  type KubernetesChange,
  type KubernetesEntry,
  type LeaseObject,
  changedObject,
  entryOf,
  isNamePrefix,
  objectName,
  wholeSeconds,
} from '../kubernetes-object.js';
import { createPollWatch } from '../poll-watch.js';
import { Sightings } from '../sightings.js';

/** Options of {@link kubernetesLease}. */
export interface KubernetesLeaseOptions extends KubernetesAccessOptions {
  /** What the name of every Lease object begins with. @defaultValue 'hale-' */
  prefix?: string;
}

/**
 * Keeps leases in Lease objects of Kubernetes (`coordination.k8s.io/v1`), over the API, with the pod's service account
 * unless told otherwise; no client library.
 *
 * - Guarantees: one holder, and tokens that only grow (`leaseTransitions`), over restarts and changes of the leader: each
 *   write replaces exactly the version that was read. No clock is compared with another: whoever wants a lease that is
 *   held watches the record on its own clock, and takes it over once it has not changed for the record's own duration.
 * - Does not: expire anything. A standby that has just started waits for one ttl from its first look, and nobody can tell
 *   how long ago a holder died. Whoever may delete Leases may make tokens start again. Whole seconds only.
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function kubernetesLease(options: KubernetesLeaseOptions = {}): LeaseStore {
  const { prefix = 'hale-', ...access } = objectOption('kubernetesLease', options);
  if (typeof prefix !== 'string' || !isNamePrefix(prefix))
    throw new OptionError(
      'kubernetesLease.prefix',
      'up to 100 of a-z, 0-9, "-" and ".", as the name of an object may begin',
      prefix,
    );
  return new KubernetesLease(
    new KubernetesApi(kubernetesAccess('kubernetesLease', access)),
    prefix,
  );
}

/** A write may be overtaken by others that want the lease; whoever is this often looks again later. */
const ATTEMPTS = 4;

/** What follows from a look: an answer, which is valid at once or with a write that no other one was faster than. */
interface Decision<T> {
  readonly answer: T;
  readonly write?: Omit<KubernetesChange, 'name'>;
}

class KubernetesLease implements LeaseStore {
  readonly backend = 'kubernetes';
  readonly minTtlMs = 1000;
  readonly #api: KubernetesApi;
  readonly #prefix: string;
  readonly #sightings = new Sightings();

  constructor(api: KubernetesApi, prefix: string) {
    this.#api = api;
    this.#prefix = prefix;
  }

  acquire(
    ...[request, call]: Parameters<LeaseStore['acquire']>
  ): ReturnType<LeaseStore['acquire']> {
    const { name, holder, ttlMs, data } = request;
    return this.#change<LeaseAcquired>(name, call, (entry, isAlive) => {
      // Its own, from a grant whose answer got lost, gets a new token too.
      if (entry !== undefined && isAlive && entry.holder !== holder)
        return { answer: { kind: 'denied', owner: ownerOf(entry) } };
      const token = (entry?.token ?? 0n) + 1n;
      const answer = { kind: 'granted', token, ttlMs: grantedMs(ttlMs) } as const;
      return { answer, write: { holder, token, ttlMs, data } };
    });
  }

  renew(...[renewal, call]: Parameters<LeaseStore['renew']>): ReturnType<LeaseStore['renew']> {
    const { name, ttlMs } = renewal;
    return this.#change<LeaseRenewed>(name, call, (entry, isAlive) => {
      if (!isAlive || !isClaim(entry, renewal))
        return { answer: { kind: 'lost', owner: isAlive ? ownerOf(entry) : {} } };
      return { answer: { kind: 'renewed', ttlMs: grantedMs(ttlMs) }, write: renewal };
    });
  }

  release(...[claim, call]: Parameters<LeaseStore['release']>): ReturnType<LeaseStore['release']> {
    return this.#change<LeaseReleased>(claim.name, call, (entry, isAlive) => {
      if (!isAlive || !isClaim(entry, claim)) return { answer: { kind: 'not_held' } };
      // The object stays: it holds the token that the next one must exceed.
      const write = { ...claim, holder: undefined, ttlMs: entry.ttlMs, data: entry.data };
      return { answer: { kind: 'released' }, write };
    });
  }

  async list(...[query, call]: Parameters<LeaseStore['list']>): ReturnType<LeaseStore['list']> {
    const { prefix = '' } = query;
    const askedAt = call.clock.now();
    const objects = await this.#api.list(call.signal);
    this.#sightings.keepOnly(new Set(objects.map(({ metadata }) => metadata.name)));
    const own = objects.filter(({ metadata }) => metadata.name.startsWith(this.#prefix));
    const recordOf = (object: LeaseObject): LeaseRecord | undefined => {
      const entry = entryOf(object);
      const { holder = '', name } = entry;
      // Another store's prefix may begin with this one.
      if (objectName(this.#prefix, name) !== object.metadata.name) return undefined;
      const isAlive = this.#isAlive(object, entry, call, askedAt);
      if (!name.startsWith(prefix)) return undefined;
      if (isAlive) return { ...entry, holder };
      call.onEnded?.({ name, token: entry.token, why: holder === '' ? 'released' : 'expired' });
      return undefined;
    };
    return readable(own, recordOf, call);
  }

  watch(
    ...[query, listener, context]: Parameters<LeaseStore['watch']>
  ): ReturnType<LeaseStore['watch']> {
    return createPollWatch({ context, listener, list: (call) => this.list(query, call) });
  }

  close(): void {
    this.#api.close();
  }

  async #change<T>(
    name: string,
    call: LeaseCall,
    decide: (entry: KubernetesEntry | undefined, isAlive: boolean) => Decision<T>,
  ): Promise<T> {
    const key = objectName(this.#prefix, name);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const askedAt = call.clock.now();
      const object = await this.#api.get(key, call.signal);
      const entry = object && entryOf(object, name);
      const isAlive = object !== undefined && this.#isAlive(object, entry, call, askedAt);
      const { answer, write } = decide(entry, isAlive);
      if (write === undefined) return answer;
      const before = object ?? { metadata: { name: key } };
      const next = changedObject(before, { ...write, name }, call.clock.wallNow());
      const written = await this.#api.write(next, call.signal);
      // Its time begins now, also for whoever wrote it.
      if (written !== undefined) this.#isAlive(written, entryOf(written, name), call);
      if (written !== undefined) return answer;
    }
    throw new Error(`the Lease object "${key}" was changed by others ${ATTEMPTS} times meanwhile`);
  }

  /** Whether somebody has it, as far as can be told from here: by how long it has not changed. */
  #isAlive(
    { metadata }: LeaseObject,
    entry: KubernetesEntry | undefined,
    { clock }: LeaseCall,
    askedAt?: number,
  ): boolean {
    if (entry === undefined) return false;
    const ageMs = this.#sightings.ageMs(metadata.name, entry.revision, clock.now(), askedAt);
    return entry.holder !== undefined && ageMs <= entry.ttlMs;
  }
}

function grantedMs(ttlMs: number): number {
  return Math.min(ttlMs, wholeSeconds(ttlMs) * 1000);
}

function isClaim(
  entry: KubernetesEntry | undefined,
  { holder, token }: Omit<LeaseClaim, 'name'>,
): entry is KubernetesEntry {
  return entry?.holder === holder && entry.token === token;
}

function ownerOf(entry: KubernetesEntry | undefined): LeaseOwner {
  if (entry?.holder === undefined) return {};
  return { holder: entry.holder, token: entry.token };
}
