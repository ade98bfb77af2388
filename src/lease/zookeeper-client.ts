import { HaleError } from '../core/errors.js';
import type { ConnectionDriver } from '../core/reserved-connection.js';

/** The part of the stat of a node that is used; each of the arrays has 8 bytes. */
export interface ZookeeperLeaseStat {
  /** The transaction that created it. */
  readonly czxid: Uint8Array;
  /** The transaction that changed it last. */
  readonly mzxid: Uint8Array;
  readonly version: number;
  /** The session it ends with. */
  readonly ephemeralOwner: Uint8Array;
}

type Done<A extends unknown[]> = (error: unknown, ...answer: A) => void;

/** The part of a client of node-zookeeper-client (1) that is used. */
export interface ZookeeperLeaseClient {
  connect(): void;
  close(): void;
  on(
    event: 'connected' | 'disconnected' | 'expired' | 'authenticationFailed',
    listener: () => void,
  ): unknown;
  getSessionId(): Uint8Array;
  getSessionPassword(): Uint8Array;
  getSessionTimeout(): number;
  create(path: string, data: Buffer, mode: number, done: Done<[path: string]>): void;
  create(path: string, data: Buffer, acl: never[], mode: number, done: Done<[string]>): void;
  mkdirp(path: string, done: Done<[path: string]>): void;
  mkdirp(path: string, acl: never[], done: Done<[path: string]>): void;
  remove(path: string, version: number, done: Done<[]>): void;
  getData(path: string, done: Done<[data: Buffer, stat: ZookeeperLeaseStat]>): void;
  setData(path: string, data: Buffer, version: number, done: Done<[ZookeeperLeaseStat]>): void;
  getChildren(path: string, done: Done<[children: string[]]>): void;
  getChildren(path: string, watcher: () => void, done: Done<[children: string[]]>): void;
  transaction(): ZookeeperLeaseTransaction;
}

/** The part of its transaction that is used. */
export interface ZookeeperLeaseTransaction {
  check(path: string): unknown;
  commit(done: Done<[unknown]>): void;
}

/** What a client is to be created with: the second argument of `createClient()`. */
export interface ZookeeperLeaseClientOptions {
  readonly sessionTimeout: number;
  readonly spinDelay: number;
  readonly retries: number;
  /** For a client that goes on with a session. */
  readonly sessionId?: Buffer;
  readonly sessionPassword?: Buffer;
}

/** Creates a client and does not connect it. */
export type ZookeeperConnect = (options: ZookeeperLeaseClientOptions) => ZookeeperLeaseClient;

/** A session of ZooKeeper's. It outlives the connections it is used over, until nothing was heard of it for its time-out. */
export interface ZookeeperSession {
  timeoutMs: number;
  /** Absent before ZooKeeper has begun it. */
  id?: Buffer;
  password?: Buffer;
  /** Whether it is to be ended with its connection, and all its nodes with it. */
  isOver: boolean;
}

const CODES = { noNode: -101, nodeExists: -110, expired: -112 } as const;

/** ZooKeeper has ended the session, which is as definite as an answer. */
export class SessionExpired extends Error {
  constructor() {
    super('ZooKeeper has ended the session');
  }
}

/** Whether ZooKeeper refused an operation for this reason. */
export function isRefusal(error: unknown, reason: keyof typeof CODES): boolean {
  return (error as { code?: unknown } | null)?.code === CODES[reason];
}

/** Makes a promise of an operation with a callback. @throws SessionExpired, or what the client says */
export function ask<A extends unknown[]>(operation: (done: Done<A>) => void): Promise<A> {
  return new Promise((resolve, reject) => {
    operation((error, ...answer) => {
      if (error === null || error === undefined) resolve(answer);
      else reject(isRefusal(error, 'expired') ? new SessionExpired() : (error as Error));
    });
  });
}

/** Between two attempts of the client's to connect. */
const SPIN_DELAY_MS = 200;

/** Connections that go on with a session, or begin it; with `new` each begins one of its own. */
export const zookeeperDriver = (
  connect: ZookeeperConnect,
  session: ZookeeperSession,
  each: 'same' | 'new' = 'same',
): ConnectionDriver<ZookeeperLeaseClient> => ({
  create: (onLost) => {
    const { id, password, timeoutMs } = session;
    const client = connect({
      sessionTimeout: timeoutMs,
      spinDelay: SPIN_DELAY_MS,
      retries: 0,
      ...(id !== undefined && { sessionId: id }),
      ...(password !== undefined && { sessionPassword: password }),
    });
    client.on('disconnected', onLost);
    contain(client);
    return client;
  },
  async connect(client) {
    await connected(client);
    if (each === 'new') return;
    const id = Buffer.from(client.getSessionId());
    if (session.id !== undefined && !session.id.equals(id))
      throw new Error('ZooKeeper has begun another session than was asked for');
    session.id = id;
    session.password = Buffer.from(client.getSessionPassword());
  },
  destroy: (client) => leave(client, session.isOver),
});

function connected(client: ZookeeperLeaseClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.on('connected', resolve);
    client.on('expired', () => reject(new SessionExpired()));
    client.on('authenticationFailed', () => reject(new Error('ZooKeeper refused the user')));
    client.connect();
  });
}

/** What node-zookeeper-client keeps about its connection, and does not show. */
interface Internals {
  connect: () => void;
  onSocketConnected: () => void;
  onSocketData: (data: Buffer) => void;
  readonly socket?: { destroy(): unknown };
  readonly connectTimeoutHandler?: { close(): unknown } | null;
}

function internalsOf(client: ZookeeperLeaseClient): Internals {
  const { connectionManager } = client as { connectionManager?: Internals };
  if (typeof connectionManager?.onSocketData === 'function') return connectionManager;
  throw new HaleError('HALE_STATE', 'zookeeperLease needs a client of node-zookeeper-client 1');
}

/** The client throws, into nobody's arms, what it does not understand: an answer that is none, or a code it does not know. */
function contain(client: ZookeeperLeaseClient): void {
  const internals = internalsOf(client);
  const { onSocketData } = internals;
  internals.onSocketData = (data) => {
    try {
      onSocketData.call(internals, data);
    } catch {
      internals.socket?.destroy();
    }
  };
}

/**
 * Ends a connection at once and, unless it is over, leaves its session alive: the client's only end, close(), would free
 * what is to be kept until it expires; without one it connects again for ever.
 */
function leave(client: ZookeeperLeaseClient, isOver: boolean): void {
  const internals = internalsOf(client);
  const drop = (): void => {
    internals.connectTimeoutHandler?.close();
    internals.socket?.destroy();
  };
  internals.connect = () => {};
  // Of the connection that it may be about to open.
  internals.onSocketConnected = drop;
  try {
    if (isOver) client.close();
  } catch {
    // It has no connection to say so over; the session ends by itself.
  }
  drop();
}
