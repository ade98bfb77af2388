import type {
  LeaseCall,
  LeaseClaim,
  LeaseOwner,
  LeaseRecord,
  LeaseRequest,
  LeaseStore,
} from '../../core/lease-store.js';
import { objectOption, textOption } from '../../core/validate.js';
import { type EtcdAccessOptions, etcdGateway } from '../etcd-access.js';
import type { EtcdAnswer, EtcdGateway } from '../etcd-gateway.js';
import {
  type EtcdEntry,
  type EtcdPair,
  entryOf,
  isChange,
  pairsOf,
  rangeOf,
  revisionOf,
  toBase64,
  valueOf,
} from '../etcd-entries.js';
import { readable } from '../foreign-entry.js';
import type { JsonStream } from '../json-client.js';
import { createPollWatch } from '../poll-watch.js';

export type { JsonTls as EtcdTls } from '../json-client.js';

/** Options of {@link etcdLease}. */
export interface EtcdLeaseOptions extends EtcdAccessOptions {
  /** What every key begins with. @defaultValue 'hale/lease/' */
  prefix?: string;
}

/**
 * Keeps leases in etcd (3.4 or later), over its JSON gateway: plain HTTP or HTTPS, no client library.
 *
 * - Guarantees: one holder, and tokens that only grow, over crashes, restarts and changes of the leader: each grant, renewal
 *   and release is agreed on by a majority. The token is the revision that created the key. Times are the leader's monotonic
 *   clock; the client's does not matter. A new leader gives every lease its whole ttl again, never less.
 * - Does not: answer without a majority. A cluster that is restored from a snapshot starts its tokens again where the
 *   snapshot ends. etcd counts whole seconds, at least 2 with its defaults, and frees up to a second late.
 *
 * @param url - the base URL of one endpoint, or of several of one cluster that are asked in turn when one fails
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function etcdLease(
  url: string | URL | readonly (string | URL)[],
  options: EtcdLeaseOptions = {},
): LeaseStore {
  const { prefix = 'hale/lease/', ...access } = objectOption('etcdLease', options);
  const gateway = etcdGateway('etcdLease', url, access);
  return new EtcdLease(gateway, textOption('etcdLease.prefix', prefix));
}

class EtcdLease implements LeaseStore {
  readonly backend = 'etcd';
  /** What etcd rounds shorter ones up to, with its default election time-out. */
  readonly minTtlMs = 2000;
  readonly #gateway: EtcdGateway;
  readonly #prefix: string;

  constructor(gateway: EtcdGateway, prefix: string) {
    this.#gateway = gateway;
    this.#prefix = prefix;
  }

  async acquire(
    ...[request, call]: Parameters<LeaseStore['acquire']>
  ): ReturnType<LeaseStore['acquire']> {
    const present = await this.#entry(request.name, call);
    if (present !== undefined && present.holder !== request.holder)
      return { kind: 'denied', owner: ownerOf(present) };
    // Its own, from a grant whose answer got lost: a new key makes a new token.
    if (present !== undefined) await this.#delete({ ...request, token: present.token }, call);
    const put = await this.#putIf(0n, request, call);
    return put.done
      ? { kind: 'granted', token: put.revision, ttlMs: put.ttlMs }
      : { kind: 'denied', owner: ownerOf(put.present) };
  }

  async renew(
    ...[renewal, call]: Parameters<LeaseStore['renew']>
  ): ReturnType<LeaseStore['renew']> {
    const present = await this.#entry(renewal.name, call);
    if (!isClaim(present, renewal)) return { kind: 'lost', owner: ownerOf(present) };
    const put = await this.#putIf(renewal.token, renewal, call);
    return put.done
      ? { kind: 'renewed', ttlMs: put.ttlMs }
      : { kind: 'lost', owner: ownerOf(put.present) };
  }

  async release(
    ...[claim, call]: Parameters<LeaseStore['release']>
  ): ReturnType<LeaseStore['release']> {
    const present = await this.#entry(claim.name, call);
    const released = isClaim(present, claim) && (await this.#delete(claim, call));
    return { kind: released ? 'released' : 'not_held' };
  }

  async list(...[query, call]: Parameters<LeaseStore['list']>): ReturnType<LeaseStore['list']> {
    return (await this.#list(query.prefix, call)).records;
  }

  watch(
    ...[{ prefix = '' }, listener, context]: Parameters<LeaseStore['watch']>
  ): ReturnType<LeaseStore['watch']> {
    let stream: JsonStream | undefined;
    const drop = (): void => {
      stream?.close();
      stream = undefined;
    };
    const look = async (call: LeaseCall): Promise<readonly LeaseRecord[]> => {
      const { records, revision } = await this.#list(prefix, call);
      call.signal.throwIfAborted();
      stream ??= this.#follow(prefix, revision, { hint: () => poll.hint(), end: drop });
      return records;
    };
    const poll = createPollWatch({
      context,
      listener,
      // A stream over a connection that is dead would stay silent for ever.
      list: (call) =>
        look(call).catch((error: unknown) => {
          drop();
          throw error;
        }),
      close: () => {
        drop();
        this.#gateway.close();
      },
    });
    return poll;
  }

  close(): void {
    this.#gateway.close();
  }

  /** Tells of grants, releases and expiries after a revision; renewals would be one look of each observer per renewal. */
  #follow(prefix: string, revision: bigint, on: { hint(): void; end(): void }): JsonStream {
    const range = rangeOf(this.#prefix + prefix);
    const create_request = { ...range, start_revision: String(revision + 1n) };
    const answer = (told: EtcdAnswer): void => {
      if (isChange(told)) on.hint();
    };
    return this.#gateway.stream('/v3/watch', { create_request }, { answer, end: on.end });
  }

  async #entry(name: string, { signal }: LeaseCall): Promise<EtcdEntry | undefined> {
    const answer = await this.#gateway.call('/v3/kv/range', { key: this.#key(name) }, signal);
    // No keys are no proof of a free lease unless etcd said so.
    revisionOf(answer);
    return firstOf(answer);
  }

  async #list(prefix = '', call: LeaseCall) {
    const range = rangeOf(this.#prefix + prefix);
    const answer = await this.#gateway.call('/v3/kv/range', range, call.signal);
    const recordOf = (pair: EtcdPair): LeaseRecord => {
      const { key, ...entry } = entryOf(pair);
      return { ...entry, name: key.slice(this.#prefix.length) };
    };
    return { records: readable(pairsOf(answer), recordOf, call), revision: revisionOf(answer) };
  }

  /**
   * Puts the key under a lease of etcd's that begins now, if it was created by this revision (0: if there is none). A
   * renewal does so too: keep-alive is answered by what believes to be the leader, on its own; a grant needs the majority.
   * The lease before loses its key by this, and ends by itself.
   */
  async #putIf(created: bigint, request: LeaseRequest, { signal }: LeaseCall) {
    const asked = Math.max(1, Math.floor(request.ttlMs / 1000));
    const lease = await this.#gateway.call('/v3/lease/grant', { TTL: String(asked) }, signal);
    const grantedMs = Number(lease['TTL']) * 1000;
    if (typeof lease['ID'] !== 'string' || !(grantedMs > 0))
      throw new Error('etcd answered without a lease');
    const key = this.#key(request.name);
    const ttlMs = Math.min(request.ttlMs, grantedMs);
    // Observers reckon with what etcd does.
    const put = { key, value: valueOf({ ...request, ttlMs }), lease: lease['ID'] };
    const answer = await this.#transact(request.name, created, { request_put: put }, signal);
    const [failure] = (answer['responses'] ?? []) as { response_range?: EtcdAnswer }[];
    return {
      done: answer['succeeded'] === true,
      present: firstOf(failure?.response_range ?? {}),
      revision: revisionOf(answer),
      ttlMs,
    };
  }

  async #delete({ name, token }: LeaseClaim, { signal }: LeaseCall): Promise<boolean> {
    const request_delete_range = { key: this.#key(name) };
    const answer = await this.#transact(name, token, { request_delete_range }, signal);
    return answer['succeeded'] === true;
  }

  async #transact(
    name: string,
    created: bigint,
    success: object,
    signal: AbortSignal,
  ): Promise<EtcdAnswer> {
    const key = this.#key(name);
    const compare = { key, target: 'CREATE', result: 'EQUAL', create_revision: String(created) };
    const body = { compare: [compare], success: [success], failure: [{ request_range: { key } }] };
    const answer = await this.#gateway.call('/v3/kv/txn', body, signal);
    // The gateway leaves out what is false: an answer that is none must not pass for one.
    revisionOf(answer);
    return answer;
  }

  #key(name: string): string {
    return toBase64(this.#prefix + name);
  }
}

function firstOf(answer: EtcdAnswer): EtcdEntry | undefined {
  const [pair] = pairsOf(answer);
  return pair && entryOf(pair);
}

function isClaim(entry: EtcdEntry | undefined, { holder, token }: LeaseClaim): boolean {
  return entry?.holder === holder && entry.token === token;
}

function ownerOf(entry: EtcdEntry | undefined): LeaseOwner {
  return entry === undefined ? {} : { holder: entry.holder, token: entry.token };
}
