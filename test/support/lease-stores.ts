import { createRequire } from 'node:module';
import type { LeaseStore } from '../../src/core/lease-store.js';
import type { SqliteLeaseHandle } from '../../src/lease/stores/sqlite.js';

/** Where a registry of the tests is, as a program is told. */
export interface RegistryAddress {
  readonly backend: keyof typeof STORES;
  /** A port of 127.0.0.1, which may be a proxy's; nothing for a file. */
  readonly port: number;
  readonly url: string;
  /** From where native packages are found, which no bundle holds. */
  readonly from: string;
  readonly ca?: string;
  readonly tokenFile?: string;
}

/** Opens the store of a registry; each loads only its own client. */
export const STORES = {
  async sqlite({ url, from }: RegistryAddress): Promise<LeaseStore> {
    const { sqliteLease } = await import('../../src/lease/stores/sqlite.js');
    const Database = createRequire(from)('libsql') as new (file: string) => SqliteLeaseHandle;
    return sqliteLease(new Database(url));
  },
  async postgres({ url }: RegistryAddress): Promise<LeaseStore> {
    const { postgresLease } = await import('../../src/lease/stores/postgres.js');
    const { default: pg } = await import('pg');
    return postgresLease(() => new pg.Client({ connectionString: url }));
  },
  async redis({ url }: RegistryAddress): Promise<LeaseStore> {
    const { redisLease } = await import('../../src/lease/stores/redis.js');
    const { Redis } = await import('ioredis');
    return redisLease(() => new Redis(url, { lazyConnect: true }));
  },
  async etcd({ url }: RegistryAddress): Promise<LeaseStore> {
    const { etcdLease } = await import('../../src/lease/stores/etcd.js');
    return etcdLease(url);
  },
  async consul({ url }: RegistryAddress): Promise<LeaseStore> {
    const { consulLease } = await import('../../src/lease/stores/consul.js');
    return consulLease(url, { minTtlMs: 100 });
  },
  async nats({ port }: RegistryAddress): Promise<LeaseStore> {
    const { natsLease } = await import('../../src/lease/stores/nats.js');
    const { connect } = await import('@nats-io/transport-node');
    const { Kvm } = await import('@nats-io/kv');
    type Connection = Awaited<ReturnType<typeof connect>>;
    const servers = `127.0.0.1:${port}`;
    return natsLease(
      () => connect({ servers, timeout: 1000 }),
      (connection: Connection) => new Kvm(connection),
    );
  },
  async zookeeper({ port }: RegistryAddress): Promise<LeaseStore> {
    const { zookeeperLease } = await import('../../src/lease/stores/zookeeper.js');
    const { createClient } = await import('node-zookeeper-client');
    return zookeeperLease((options) => createClient(`127.0.0.1:${port}`, options));
  },
  async kubernetes({ port, ca = '', tokenFile = '' }: RegistryAddress): Promise<LeaseStore> {
    const { kubernetesLease } = await import('../../src/lease/stores/kubernetes.js');
    const server = `https://127.0.0.1:${port}`;
    return kubernetesLease({ server, namespace: 'default', ca, tokenFile });
  },
} as const;
