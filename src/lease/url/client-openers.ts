import type { NatsLeaseBuckets, NatsLeaseConnection } from '../stores/nats.js';
import type { ZookeeperLeaseClient, ZookeeperLeaseClientOptions } from '../stores/zookeeper.js';
import { type LeaseUrl, hostsOf } from './lease-url.js';
import { type LoadedClient, type Opener, loadClient } from './load-client.js';

/** Ends a connection that is being opened: nothing else does. */
const CONNECT_TIMEOUT_MS = 4000;
const NATS = ['@nats-io/transport-node', 'nats'];

interface NatsOptions {
  readonly servers: string[];
  readonly timeout: number;
  readonly user?: string;
  readonly pass?: string;
}

interface Nats2Connection extends NatsLeaseConnection {
  jetstream(): { readonly views: { kv: NatsLeaseBuckets['create'] } };
}

export const nats: Opener = async (url, load) => {
  const { natsLease } = await import('../stores/nats.js');
  const client = await loadClient(load, NATS, url.scheme);
  const options = url.own === undefined ? {} : { bucket: url.own };
  const servers = natsOptions(url);
  if (client.name === 'nats') {
    const connect = client.get<(options: NatsOptions) => Promise<Nats2Connection>>('connect');
    const bucketsOf = (connection: Nats2Connection): NatsLeaseBuckets => ({
      create: (name, given) => connection.jetstream().views.kv(name, given),
    });
    return natsLease(() => connect(servers), bucketsOf, options);
  }
  const kv = await loadClient(load, ['@nats-io/kv'], url.scheme);
  const connect = client.get<(options: NatsOptions) => Promise<NatsLeaseConnection>>('connect');
  const Kvm = kv.get<new (connection: NatsLeaseConnection) => NatsLeaseBuckets>('Kvm');
  return natsLease(
    () => connect(servers),
    (connection) => new Kvm(connection),
    options,
  );
};

function natsOptions(url: LeaseUrl): NatsOptions {
  const { hosts, user } = hostsOf(url);
  return {
    servers: [...hosts],
    timeout: CONNECT_TIMEOUT_MS,
    ...(user === undefined ? {} : { user: user.name, pass: user.password }),
  };
}

type Connect = (servers: string, options: ZookeeperLeaseClientOptions) => AuthClient;
type AuthClient = ZookeeperLeaseClient & { addAuthInfo(scheme: string, info: Buffer): void };

/** With a user, what is created belongs to that user. */
export const zookeeper: Opener = async (url, load) => {
  const { zookeeperLease } = await import('../stores/zookeeper.js');
  const client = await loadClient(load, ['node-zookeeper-client'], url.scheme);
  const createClient = client.get<Connect>('createClient');
  const { hosts, path, user } = hostsOf(url);
  const connect = (options: ZookeeperLeaseClientOptions): AuthClient => {
    const created = createClient(hosts.join(','), options);
    if (user !== undefined)
      created.addAuthInfo('digest', Buffer.from(`${user.name}:${user.password}`));
    return created;
  };
  return zookeeperLease(connect, {
    ...(path === '' || path === '/' ? {} : { path }),
    ...(user === undefined ? {} : { acl: ownersOnly(client) }),
  });
};

function ownersOnly({ get }: LoadedClient): readonly unknown[] {
  const ACL = get<new (permission: number, id: object) => object>('ACL');
  const Id = get<new (scheme: string, id: string) => object>('Id');
  const { ALL } = get<{ readonly ALL: number }>('Permission');
  return [new ACL(ALL, new Id('auth', ''))];
}
