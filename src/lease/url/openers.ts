import { textOption } from '../../core/validate.js';
import type { PostgresLeaseClient } from '../stores/postgres.js';
import type { RedisLeaseClient } from '../stores/redis.js';
import type { SqliteLeaseHandle } from '../stores/sqlite.js';
import { nats, zookeeper } from './client-openers.js';
import { consul, etcd, kubernetes } from './http-openers.js';
import { type LeaseUrl, type OwnParameters, prefixOf } from './lease-url.js';
import { type LoadClient, type Opener, loadClient } from './load-client.js';
import { createFileStore } from './file-store.js';

/** How to open the URLs of one scheme. */
export interface SchemeOpener {
  readonly open: Opener;
  /** The parameter that is an option of the store. */
  readonly own?: OwnParameters[string];
}

const memory: Opener = async () => (await import('../stores/memory.js')).memoryLease();

const postgres: Opener = async (url, load) => {
  const { postgresLease } = await import('../stores/postgres.js');
  const client = await loadClient(load, ['pg'], url.scheme);
  type Client = new (config: { connectionString: string }) => PostgresLeaseClient;
  const Client = client.get<Client>('Client');
  const connectionString = `postgres:${url.rest}`;
  return postgresLease(() => new Client({ connectionString }), tableOf(url));
};

const redis: Opener = async (url, load) => {
  const { redisLease } = await import('../stores/redis.js');
  const client = await loadClient(load, ['ioredis', 'redis'], url.scheme);
  const address = `${url.scheme}:${url.rest}`;
  return redisLease(redisClients(client, address), prefixOf(url));
};

type LoadedRedis = Awaited<ReturnType<typeof loadClient>>;

function redisClients({ name, get }: LoadedRedis, url: string): () => RedisLeaseClient {
  if (name === 'redis') {
    const createClient = get<(options: { url: string }) => RedisLeaseClient>('createClient');
    return () => createClient({ url });
  }
  type Redis = new (url: string, options: { lazyConnect: true }) => RedisLeaseClient;
  const Redis = get<Redis>('Redis');
  return () => new Redis(url, { lazyConnect: true });
}

type Database = SqliteLeaseHandle & { close(): unknown };
type DatabaseClass = new (file: string) => Database;

const sqlite: Opener = async (url, load) => {
  const { sqliteLease } = await import('../stores/sqlite.js');
  const file = textOption('leaseUrl', url.rest.replace(/^\/\/(?=\/)/, ''));
  const Database = await sqliteClass(url, load);
  return createFileStore('sqlite', () => {
    const database = new Database(file);
    return { store: sqliteLease(database, tableOf(url)), close: () => database.close() };
  });
};

async function sqliteClass({ scheme }: LeaseUrl, load: LoadClient): Promise<DatabaseClass> {
  // From Node.js 22.5 on, first behind a flag.
  const own = process.getBuiltinModule('node:sqlite') as
    | { DatabaseSync: DatabaseClass }
    | undefined;
  if (own !== undefined) return own.DatabaseSync;
  const client = await loadClient(load, ['better-sqlite3', 'libsql'], scheme);
  return client.get('default');
}

/** One for each scheme. */
export const OPENERS: Readonly<Record<string, SchemeOpener>> = {
  memory: { open: memory },
  sqlite: { open: sqlite, own: 'table' },
  postgres: { open: postgres, own: 'table' },
  postgresql: { open: postgres, own: 'table' },
  redis: { open: redis, own: 'prefix' },
  rediss: { open: redis, own: 'prefix' },
  'etcd+http': { open: etcd, own: 'prefix' },
  'etcd+https': { open: etcd, own: 'prefix' },
  nats: { open: nats, own: 'bucket' },
  zookeeper: { open: zookeeper },
  'consul+http': { open: consul, own: 'prefix' },
  'consul+https': { open: consul, own: 'prefix' },
  kubernetes: { open: kubernetes, own: 'prefix' },
};

function tableOf({ own }: LeaseUrl): { table?: string } {
  return own === undefined ? {} : { table: own };
}
