import { OptionError } from '../../core/errors.js';
import { httpTarget } from '../../core/http-client.js';
import type {
  LeaseCall,
  LeaseClaim,
  LeaseOwner,
  LeaseRecord,
  LeaseRequest,
  LeaseStore,
} from '../../core/lease-store.js';
import { durationOption, objectOption } from '../../core/validate.js';
import { ConsulApi } from '../consul-api.js';
import {
  type ConsulEntry,
  type ConsulPair,
  entryOf,
  isKeyPrefix,
  keyOf,
  valueOf,
} from '../consul-entries.js';
import { readable } from '../foreign-entry.js';
import type { JsonTls } from '../json-client.js';
import { createPollWatch } from '../poll-watch.js';

/** Options of {@link consulLease}. */
export interface ConsulLeaseOptions {
  /** An ACL token that may write the keys and sessions. @defaultValue none */
  token?: string;
  /** For https. @defaultValue the system's certificates, and none of its own */
  tls?: JsonTls;
  /** What every key begins with. @defaultValue 'hale/lease/' */
  prefix?: string;
  /** The servers' `session_ttl_min`, where it is not Consul's default. @defaultValue 10000 */
  minTtlMs?: number;
}

/**
 * Keeps leases in keys of Consul that a session locks, over its HTTP API; no client library.
 *
 * - Guarantees: one holder, and tokens that only grow (`LockIndex`), over crashes, restarts and changes of the leader: each
 *   grant, renewal and release is agreed on by a majority. Times are the leader's; the client's clock does not matter.
 * - Does not: free a lease before twice its ttl is over, as Consul does not; a new leader begins all times anew. A key that
 *   is deleted, or written by anything but a lock, starts its tokens again: let nobody else write below the prefix.
 *
 * @param url - the base URL of an agent; credentials in it are a user and a password for a proxy before it
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function consulLease(url: string | URL, options: ConsulLeaseOptions = {}): LeaseStore {
  const {
    prefix = 'hale/lease/',
    tls = {},
    token,
    minTtlMs,
  } = objectOption('consulLease', options);
  if (token !== undefined && (typeof token !== 'string' || token === ''))
    throw new OptionError('consulLease.token', 'a text', typeof token);
  if (typeof prefix !== 'string' || !isKeyPrefix(prefix))
    throw new OptionError('consulLease.prefix', 'letters, digits, "-", "_" and single "/"', prefix);
  const api = new ConsulApi({
    target: httpTarget('consulLease.url', url),
    tls: objectOption('consulLease.tls', tls),
    token,
  });
  return new ConsulLease(api, prefix, durationOption('consulLease.minTtlMs', minTtlMs ?? 10_000));
}

class ConsulLease implements LeaseStore {
  readonly backend = 'consul';
  readonly minTtlMs: number;
  readonly #api: ConsulApi;
  readonly #prefix: string;

  constructor(api: ConsulApi, prefix: string, minTtlMs: number) {
    this.#api = api;
    this.#prefix = prefix;
    this.minTtlMs = minTtlMs;
  }

  async acquire(
    ...[request, call]: Parameters<LeaseStore['acquire']>
  ): ReturnType<LeaseStore['acquire']> {
    const present = await this.#entry(request.name, call);
    if (present?.session !== undefined && present.holder !== request.holder)
      return { kind: 'denied', owner: ownerOf(present) };
    // Its own, from a grant whose answer got lost: a lock that is taken again makes a new token.
    if (present?.session !== undefined)
      await this.#api.destroySession(present.session, call.signal);
    const { name, holder, ttlMs } = request;
    const session = await this.#api.createSession(`hale ${name} ${holder}`, ttlMs, call.signal);
    const lock = this.#operation('lock', request, session, 0);
    const outcome = await this.#api.transact([lock], call.signal);
    if (outcome.done) return { kind: 'granted', token: outcome.lockIndex, ttlMs };
    await this.#api.destroySession(session, call.signal);
    if (!outcome.why.includes('already held')) throw refused(outcome.why);
    return { kind: 'denied', owner: ownerOf(await this.#entry(name, call)) };
  }

  async renew(
    ...[renewal, call]: Parameters<LeaseStore['renew']>
  ): ReturnType<LeaseStore['renew']> {
    const present = await this.#entry(renewal.name, call);
    if (!isClaim(present, renewal)) return { kind: 'lost', owner: ownerOf(present) };
    const { session, ttlMs } = present;
    if (!(await this.#api.renewSession(session, call.signal))) return { kind: 'lost', owner: {} };
    // The session's ttl is what it was at the grant.
    const kept = { ...renewal, ttlMs };
    const operations = [
      { Verb: 'check-session', Key: keyOf(this.#prefix, renewal.name), Session: session } as const,
      this.#operation('lock', kept, session, present.renewals + 1),
    ];
    const outcome = await this.#api.transact(operations, call.signal);
    if (outcome.done && outcome.lockIndex === renewal.token)
      return { kind: 'renewed', ttlMs: Math.min(ttlMs, renewal.ttlMs) };
    const after = await this.#entry(renewal.name, call);
    if (!outcome.done && isClaim(after, renewal)) throw refused(outcome.why);
    return { kind: 'lost', owner: ownerOf(after) };
  }

  async release(
    ...[claim, call]: Parameters<LeaseStore['release']>
  ): ReturnType<LeaseStore['release']> {
    const present = await this.#entry(claim.name, call);
    if (!isClaim(present, claim)) return { kind: 'not_held' };
    const { session } = present;
    // The key stays: it counts the locks. What is unlocked first is free at once, whatever delay a session has.
    const unlock = this.#operation('unlock', present, session, present.renewals, true);
    const outcome = await this.#api.transact([unlock], call.signal);
    // Else it ends by itself.
    await this.#api.destroySession(session, call.signal).catch(() => {});
    if (outcome.done) return { kind: 'released' };
    if (isClaim(await this.#entry(claim.name, call), claim)) throw refused(outcome.why);
    return { kind: 'not_held' };
  }

  async list(...[query, call]: Parameters<LeaseStore['list']>): ReturnType<LeaseStore['list']> {
    const { prefix = '' } = query;
    const pairs = await this.#api.read(keyOf(this.#prefix, prefix), true, call.signal);
    return readable(pairs, (pair) => this.#recordOf(pair, call), call);
  }

  watch(
    ...[query, listener, context]: Parameters<LeaseStore['watch']>
  ): ReturnType<LeaseStore['watch']> {
    return createPollWatch({ context, listener, list: (call) => this.list(query, call) });
  }

  close(): void {
    this.#api.close();
  }

  async #entry(name: string, { signal }: LeaseCall): Promise<ConsulEntry | undefined> {
    const [pair] = await this.#api.read(keyOf(this.#prefix, name), false, signal);
    return pair && entryOf(pair);
  }

  #recordOf(pair: ConsulPair, { onEnded }: LeaseCall): LeaseRecord | undefined {
    const { session, renewals: _, released, ...record } = entryOf(pair);
    // Another store's prefix may begin with this one.
    if (keyOf(this.#prefix, record.name) !== pair.Key) return undefined;
    if (session !== undefined) return record;
    const { name, token } = record;
    onEnded?.({ name, token, why: released ? 'released' : 'expired' });
    return undefined;
  }

  #operation<V extends string>(
    Verb: V,
    request: LeaseRequest,
    Session: string,
    renewals: number,
    released = false,
  ) {
    const Key = keyOf(this.#prefix, request.name);
    return { Verb, Key, Session, ...valueOf(request, renewals, released) };
  }
}

type Held = ConsulEntry & { readonly session: string };

function isClaim(
  entry: ConsulEntry | undefined,
  { holder, token }: Omit<LeaseClaim, 'name'>,
): entry is Held {
  return entry?.session !== undefined && entry.holder === holder && entry.token === token;
}

function ownerOf(entry: ConsulEntry | undefined): LeaseOwner {
  if (entry?.session === undefined) return {};
  return { holder: entry.holder, token: entry.token };
}

function refused(why: string): Error {
  return new Error(`Consul refused the change: ${why}`);
}
