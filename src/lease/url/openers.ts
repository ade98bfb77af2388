import { OptionError } from '../../core/errors.js';
import type { LeaseStore } from '../../core/lease-store.js';
import { textOption } from '../../core/validate.js';
import type { PostgresLeaseClient } from '../stores/postgres.js';
import type { RedisLeaseClient } from '../stores/redis.js';
import type { SqliteLeaseHandle } from '../stores/sqlite.js';
import { type LeaseUrl, httpServersOf } from './lease-url.js';
import { type LoadClient, loadClient } from './load-client.js';
import { createFileStore } from './file-store.js';

/** Makes the store behind one kind of URL. */
export type Opener = (url: LeaseUrl, load: LoadClient) => Promise<LeaseStore>;

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
  const { prefix } = url.own;
  return redisLease(redisClients(client, address), prefix === undefined ? {} : { prefix });
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

const etcd: Opener = async (url) => {
  const { etcdLease } = await import('../stores/etcd.js');
  const { urls, user } = httpServersOf(url);
  const { prefix } = url.own;
  return etcdLease(urls, {
    ...(prefix === undefined ? {} : { prefix }),
    ...(user === undefined ? {} : { user }),
  });
};

/** One for each scheme. */
export const OPENERS: Readonly<Record<string, Opener>> = {
  memory,
  sqlite,
  postgres,
  postgresql: postgres,
  redis,
  rediss: redis,
  'etcd+http': etcd,
  'etcd+https': etcd,
};

function tableOf({ scheme, own: { table, prefix } }: LeaseUrl): { table?: string } {
  if (prefix !== undefined)
    throw new OptionError('leaseUrl', `${scheme}: with table=, but without prefix=`, prefix);
  return table === undefined ? {} : { table };
}
