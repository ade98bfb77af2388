import { OptionError } from '../../core/errors.js';
import type {
  LeaseCall,
  LeaseClaim,
  LeaseRecord,
  LeaseRenewal,
  LeaseRequest,
  LeaseStore,
} from '../../core/lease-store.js';
import {
  type ReservedConnection,
  createReservedConnection,
} from '../../core/reserved-connection.js';
import { functionOption, objectOption } from '../../core/validate.js';
import { createPollWatch } from '../poll-watch.js';
import {
  SessionExpired,
  type ZookeeperConnect,
  type ZookeeperLeaseClient,
  type ZookeeperLeaseStat,
  type ZookeeperSession,
  ask,
  isRefusal,
  zookeeperDriver,
} from '../zookeeper-client.js';
import {
  type ZookeeperNode,
  type ZookeeperPlace,
  catchUp,
  createNode,
  isClaim,
  look,
  nodesOf,
  ownerOf,
  pathOf,
  tokenOf,
  valueOf,
} from '../zookeeper-nodes.js';

export type { ZookeeperLeaseClient, ZookeeperLeaseClientOptions } from '../zookeeper-client.js';

/** Options of {@link zookeeperLease}. */
export interface ZookeeperLeaseOptions {
  /** The node that all leases are below; created when it does not exist. @defaultValue '/hale/lease' */
  path?: string;
  /** Access control lists of node-zookeeper-client for the nodes that are created. @defaultValue everybody may do everything */
  acl?: readonly unknown[];
}

/**
 * Keeps leases in ZooKeeper (3.5 or later): each is an ephemeral node of a session of its own, with which it ends.
 *
 * - Guarantees: one holder, and tokens that only grow, over restarts and the loss of servers: each grant, renewal and release
 *   is agreed on by a majority. The token is the transaction that created the node. ZooKeeper ends a session by its leader's
 *   monotonic clock; the client's does not matter. After a restart or a change of the leader every session has its whole
 *   time-out again, never less.
 * - Does not: answer without a majority. An ensemble that is restored from a copy starts its tokens again where the copy ends.
 *   The servers have a shortest and a longest time-out of a session: less than asked is told, more frees a lease later.
 *
 * The session is joined for each renewal and left again, because the client sends signs of life as long as it is connected,
 * whether somebody renews or not.
 *
 * @param connect - creates a fresh client: `(options) => createClient('zk-0:2181,zk-1:2181', options)` of node-zookeeper-client
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function zookeeperLease(
  connect: ZookeeperConnect,
  options: ZookeeperLeaseOptions = {},
): LeaseStore {
  functionOption('zookeeperLease.connect', connect);
  const { path = '/hale/lease', acl = [] } = objectOption('zookeeperLease', options);
  if (typeof path !== 'string' || !/^(\/[^/\0]+)+$/.test(path))
    throw new OptionError('zookeeperLease.path', 'a path such as /hale/lease', path);
  if (!Array.isArray(acl))
    throw new OptionError('zookeeperLease.acl', 'a list of access control lists', acl);
  return new ZookeeperStore(connect, { root: path, acl });
}

/** Of the session that only reads. */
const READER_TIMEOUT_MS = 10_000;

class ZookeeperStore implements LeaseStore {
  readonly backend = 'zookeeper';
  readonly #connect: ZookeeperConnect;
  readonly #place: ZookeeperPlace;
  /** The sessions of grants, and of attempts whose answer got lost. */
  readonly #sessions = new Map<string, ZookeeperSession>();
  #reader: ReservedConnection<ZookeeperLeaseClient> | undefined;

  constructor(connect: ZookeeperConnect, place: ZookeeperPlace) {
    this.#connect = connect;
    this.#place = place;
  }

  async acquire(
    ...[request, call]: Parameters<LeaseStore['acquire']>
  ): ReturnType<LeaseStore['acquire']> {
    const key = keyOf(request);
    const present = await this.#read(call, (client) => look(client, this.#place, request.name));
    const kept = this.#sessions.get(key);
    const isOwn = kept?.id !== undefined && present?.session.equals(kept.id) === true;
    if (present !== undefined && !isOwn) return { kind: 'denied', owner: ownerOf(present) };
    const session = isOwn ? withTtl(kept, request) : newSession(request.ttlMs);
    this.#sessions.set(key, session);
    const answer = await this.#join(session, call, async (client) => {
      // Its own, from a grant whose answer got lost: a new node makes a new token.
      if (present !== undefined) await this.#remove(client, present);
      return this.#grant(client, session, request);
    });
    if (answer.kind === 'granted') return answer;
    if (kept === undefined) this.#sessions.delete(key);
    else this.#sessions.set(key, kept);
    return answer;
  }

  async renew(
    ...[renewal, call]: Parameters<LeaseStore['renew']>
  ): ReturnType<LeaseStore['renew']> {
    const session = this.#sessions.get(keyOf(renewal));
    if (session === undefined)
      return { kind: 'lost', owner: ownerOf(await this.#others(renewal, call)) };
    return this.#untilExpired(renewal, { kind: 'lost', owner: {} }, () =>
      // A session takes the time-out it is joined with.
      this.#join(withTtl(session, renewal), call, (client) =>
        this.#extend(client, session, renewal),
      ),
    );
  }

  async release(
    ...[claim, call]: Parameters<LeaseStore['release']>
  ): ReturnType<LeaseStore['release']> {
    const session = this.#sessions.get(keyOf(claim));
    if (session === undefined) {
      await this.#others(claim, call);
      return { kind: 'not_held' };
    }
    return this.#untilExpired(claim, { kind: 'not_held' }, () =>
      this.#join(session, call, async (client) => {
        const node = await this.#own(client, claim);
        if (node === undefined || !isClaim(node, claim)) return { kind: 'not_held' };
        await this.#remove(client, node);
        session.isOver = true;
        this.#sessions.delete(keyOf(claim));
        return { kind: 'released' };
      }),
    );
  }

  list(...[{ prefix = '' }, call]: Parameters<LeaseStore['list']>): ReturnType<LeaseStore['list']> {
    return this.#list(prefix, call);
  }

  watch(
    ...[{ prefix = '' }, listener, context]: Parameters<LeaseStore['watch']>
  ): ReturnType<LeaseStore['watch']> {
    const own = new ZookeeperStore(this.#connect, this.#place);
    const hint = (): void => poll.hint();
    const poll = createPollWatch({
      context,
      listener,
      list: (call) => own.#list(prefix, call, hint),
      close: () => own.close(),
    });
    return poll;
  }

  close(): void {
    // Sessions of grants stay: what is not released expires by itself.
    this.#reader?.close();
    this.#reader = undefined;
  }

  #list(prefix: string, call: LeaseCall, watcher?: () => void): ReturnType<LeaseStore['list']> {
    return this.#read(call, async (client) =>
      (await nodesOf(client, this.#place, prefix, call, watcher)).map(recordOf),
    );
  }

  #read<T>({ signal }: LeaseCall, work: (client: ZookeeperLeaseClient) => Promise<T>): Promise<T> {
    const session: ZookeeperSession = { timeoutMs: READER_TIMEOUT_MS, isOver: true };
    this.#reader ??= createReservedConnection(zookeeperDriver(this.#connect, session, 'new'));
    return this.#reader.ask(work, signal);
  }

  /** Works on a connection of a session, and leaves it again. */
  async #join<T>(
    session: ZookeeperSession,
    { signal }: LeaseCall,
    work: (client: ZookeeperLeaseClient) => Promise<T>,
  ): Promise<T> {
    const connection = createReservedConnection(zookeeperDriver(this.#connect, session));
    try {
      return await connection.ask(work, signal);
    } finally {
      connection.close();
    }
  }

  async #untilExpired<T>(claim: LeaseClaim, expired: T, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SessionExpired)) throw error;
      this.#sessions.delete(keyOf(claim));
      return expired;
    }
  }

  async #grant(
    client: ZookeeperLeaseClient,
    session: ZookeeperSession,
    request: LeaseRequest,
  ): ReturnType<LeaseStore['acquire']> {
    const { name, holder } = request;
    const ttlMs = Math.min(request.ttlMs, client.getSessionTimeout());
    try {
      await createNode(client, this.#place, name, valueOf(request, ttlMs));
    } catch (error) {
      if (!isRefusal(error, 'nodeExists')) throw error;
      session.isOver = true;
      return { kind: 'denied', owner: ownerOf(await look(client, this.#place, name)) };
    }
    const node = await look(client, this.#place, name);
    if (node?.holder !== holder || session.id?.equals(node.session) !== true)
      throw new Error('ZooKeeper does not have what was just created');
    return { kind: 'granted', token: node.token, ttlMs };
  }

  /** Proves that the session lives, by a write, and that the node is still this grant's. */
  async #extend(
    client: ZookeeperLeaseClient,
    session: ZookeeperSession,
    renewal: LeaseRenewal,
  ): ReturnType<LeaseStore['renew']> {
    const { name, token } = renewal;
    const ttlMs = Math.min(renewal.ttlMs, client.getSessionTimeout());
    const node = await this.#own(client, renewal);
    if (node === undefined || !isClaim(node, renewal)) {
      session.isOver = true;
      this.#sessions.delete(keyOf(renewal));
      return { kind: 'lost', owner: ownerOf(node) };
    }
    const path = pathOf(this.#place, name);
    const [stat] = await ask<[ZookeeperLeaseStat]>((done) =>
      client.setData(path, valueOf(renewal, ttlMs), node.version, done),
    );
    if (tokenOf(stat) === token) return { kind: 'renewed', ttlMs };
    throw new Error('the node was created again in the middle of a renewal');
  }

  /** The node of a claim; that it is another's, or gone, is only believed of a server that is not behind. */
  async #own(client: ZookeeperLeaseClient, claim: LeaseClaim): Promise<ZookeeperNode | undefined> {
    const node = await look(client, this.#place, claim.name);
    if (isClaim(node, claim)) return node;
    await catchUp(client, this.#place);
    return look(client, this.#place, claim.name);
  }

  /** The node of a name of which this store has no grant. */
  async #others(claim: LeaseClaim, call: LeaseCall): Promise<ZookeeperNode | undefined> {
    const node = await this.#read(call, (client) => this.#own(client, claim));
    if (!isClaim(node, claim)) return node;
    throw new Error('only the store that was granted a lease of ZooKeeper can keep it');
  }

  async #remove(client: ZookeeperLeaseClient, { name, version }: ZookeeperNode): Promise<void> {
    await ask<[]>((done) => client.remove(pathOf(this.#place, name), version, done));
  }
}

function keyOf({ name, holder }: Pick<LeaseClaim, 'name' | 'holder'>): string {
  return JSON.stringify([name, holder]);
}

function newSession(ttlMs: number): ZookeeperSession {
  return { timeoutMs: wholeMs(ttlMs), isOver: false };
}

function withTtl(session: ZookeeperSession, { ttlMs }: LeaseRequest): ZookeeperSession {
  session.timeoutMs = wholeMs(ttlMs);
  return session;
}

/** ZooKeeper takes whole milliseconds; less than asked is granted, never more. */
function wholeMs(ttlMs: number): number {
  return Math.max(1, Math.floor(ttlMs));
}

function recordOf({ version, session, ...record }: ZookeeperNode): LeaseRecord {
  return record;
}
