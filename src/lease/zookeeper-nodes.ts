import type {
  LeaseCall,
  LeaseClaim,
  LeaseOwner,
  LeaseRecord,
  LeaseRequest,
} from '../core/lease-store.js';
import { ForeignEntry, passForeign, readable } from './foreign-entry.js';
import {
  type ZookeeperLeaseClient,
  type ZookeeperLeaseStat,
  ask,
  isRefusal,
} from './zookeeper-client.js';

/** A node that is a lease. */
export interface ZookeeperNode extends LeaseRecord {
  readonly version: number;
  /** The session it ends with. */
  readonly session: Buffer;
}

/** Where leases are, and who may do what with them. */
export interface ZookeeperPlace {
  readonly root: string;
  /** Access control lists of the client's; none for everybody. */
  readonly acl: readonly unknown[];
}

/** Names may hold what paths may not, also `.` and `..`. */
export function pathOf({ root }: ZookeeperPlace, name: string): string {
  return `${root}/${encodeURIComponent(name).replaceAll('.', '%2E')}`;
}

/** @throws ForeignEntry for a node that has no name of a lease */
function nameOf({ root }: ZookeeperPlace, child: string): string {
  try {
    return decodeURIComponent(child);
  } catch {
    throw new ForeignEntry('ZooKeeper', `${root}/${child}`);
  }
}

/** What is kept in a node. */
export function valueOf({ holder, data }: LeaseRequest, ttlMs: number): Buffer {
  return Buffer.from(JSON.stringify({ holder, ttlMs, data }));
}

/** Reads the node of a lease. @throws ForeignEntry for a node that is none: then it proves nothing */
export async function look(
  client: ZookeeperLeaseClient,
  place: ZookeeperPlace,
  name: string,
): Promise<ZookeeperNode | undefined> {
  const path = pathOf(place, name);
  try {
    const [data, stat] = await ask<[Buffer, ZookeeperLeaseStat]>((done) =>
      client.getData(path, done),
    );
    return nodeOf(name, path, data, stat);
  } catch (error) {
    if (isRefusal(error, 'noNode')) return undefined;
    throw error;
  }
}

function nodeOf(name: string, path: string, data: Buffer, stat: ZookeeperLeaseStat): ZookeeperNode {
  const kept = parsed(String(data));
  if (
    typeof kept?.holder !== 'string' ||
    !(Number(kept.ttlMs) > 0) ||
    numberIn(stat.ephemeralOwner) === 0n
  )
    throw new ForeignEntry('ZooKeeper', path);
  return {
    name,
    holder: kept.holder,
    token: tokenOf(stat),
    ttlMs: Number(kept.ttlMs),
    data: String(kept.data),
    revision: String(numberIn(stat.mzxid)),
    version: stat.version,
    session: Buffer.from(stat.ephemeralOwner),
  };
}

function parsed(text: string): { holder?: unknown; ttlMs?: unknown; data?: unknown } | undefined {
  try {
    return JSON.parse(text) as { holder?: unknown };
  } catch {
    return undefined;
  }
}

/** The transaction that created a node: transactions of ZooKeeper's are numbered over all nodes and restarts. */
export function tokenOf({ czxid }: ZookeeperLeaseStat): bigint {
  return numberIn(czxid);
}

function numberIn(bytes: Uint8Array): bigint {
  return Buffer.from(bytes).readBigInt64BE();
}

/** Whether a node is this grant's. */
export function isClaim(node: ZookeeperNode | undefined, { holder, token }: LeaseClaim): boolean {
  return node?.holder === holder && node.token === token;
}

/** Who has it; when it ends is known to ZooKeeper alone. */
export function ownerOf(node: ZookeeperNode | undefined): LeaseOwner {
  return node === undefined ? {} : { holder: node.holder, token: node.token };
}

const EPHEMERAL = 1;

/** Creates the node of a lease, and what is above it. @throws what {@link isRefusal} calls `nodeExists` if there is one */
export async function createNode(
  client: ZookeeperLeaseClient,
  place: ZookeeperPlace,
  name: string,
  value: Buffer,
): Promise<void> {
  const acl = place.acl as never[];
  const path = pathOf(place, name);
  const create = (): Promise<unknown> =>
    ask<[string]>((done) =>
      acl.length === 0
        ? client.create(path, value, EPHEMERAL, done)
        : client.create(path, value, acl, EPHEMERAL, done),
    );
  try {
    await create();
    return;
  } catch (error) {
    if (!isRefusal(error, 'noNode')) throw error;
  }
  await ask<[string]>((done) =>
    acl.length === 0 ? client.mkdirp(place.root, done) : client.mkdirp(place.root, acl, done),
  );
  await create();
}

/**
 * Waits until what this client reads is no older than now: reads are answered by the server it is connected to, which may
 * be behind; a transaction is answered by the leader, also one that changes nothing.
 */
export async function catchUp(client: ZookeeperLeaseClient, place: ZookeeperPlace): Promise<void> {
  const transaction = client.transaction();
  transaction.check(place.root);
  try {
    await ask<[unknown]>((done) => transaction.commit(done));
  } catch (error) {
    if (!isRefusal(error, 'noNode')) throw error;
  }
}

/** All leases whose names begin with a text, by name; `watcher` is told once when one comes or goes. */
export async function nodesOf(
  client: ZookeeperLeaseClient,
  place: ZookeeperPlace,
  prefix: string,
  call: LeaseCall,
  watcher?: () => void,
): Promise<readonly ZookeeperNode[]> {
  const { root } = place;
  const children = ask<[string[]]>((done) =>
    watcher === undefined
      ? client.getChildren(root, done)
      : client.getChildren(root, watcher, done),
  ).catch((error: unknown): [string[]] => {
    if (isRefusal(error, 'noNode')) return [[]];
    throw error;
  });
  const names = readable((await children)[0], (child) => ({ name: nameOf(place, child) }), call);
  const nodes = await Promise.all(
    names
      .filter(({ name }) => name.startsWith(prefix))
      .map(({ name }) =>
        look(client, place, name).catch((error: unknown) => passForeign(error, call)),
      ),
  );
  return nodes.filter((node) => node !== undefined);
}
