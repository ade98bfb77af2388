import type { LeaseCall, LeaseStore } from '../../core/lease-store.js';
import {
  type ConnectionDriver,
  type ReservedConnection,
  createReservedConnection,
} from '../../core/reserved-connection.js';
import { functionOption, objectOption } from '../../core/validate.js';
import { readable } from '../foreign-entry.js';
import { createPollWatch } from '../poll-watch.js';
import { type Row, ownerOf, recordOf, tokenOf } from '../rows.js';
import { tableOption } from '../table-name.js';

/** The part of `pg.Client` (pg 8) that {@link postgresLease} uses. */
export interface PostgresLeaseClient {
  connect(): Promise<unknown>;
  query(text: string, values: unknown[]): Promise<{ readonly rows: unknown[] }>;
  end(): Promise<unknown>;
  on?(event: 'error' | 'notification', listener: (message: unknown) => void): unknown;
  /** Where pg keeps its socket; destroying it is the only end that a dead peer cannot delay. */
  readonly connection?: { readonly stream?: { destroy(): unknown } };
}

/** Options of {@link postgresLease}. */
export interface PostgresLeaseOptions {
  /** Created when it does not exist; see {@link postgresLeaseTable}. @defaultValue 'hale_leases' */
  table?: string;
}

/** The statement that creates the table, for migrations where the service itself may not. */
export function postgresLeaseTable(table = 'hale_leases'): string {
  return `CREATE TABLE IF NOT EXISTS ${tableOption('postgresLease.table', table)} (
  name text PRIMARY KEY, fence bigint NOT NULL, holder text, ttl_ms double precision NOT NULL,
  expires_at timestamptz NOT NULL, revision bigint NOT NULL, data text NOT NULL)`;
}

/**
 * Keeps leases in a table of PostgreSQL (13 or later), each call one statement on a connection of its own, which is
 * destroyed when there is no answer in time.
 *
 * - Guarantees: one holder, and tokens that only grow, over crashes and restarts: a grant is committed durably, whatever
 *   `synchronous_commit` says for the session. Times are the server's clock; the client's does not matter.
 * - Does not: survive a fail-over to an asynchronous replica, which may not know the last grants; guard the resource, or use
 *   synchronous replication. A jump of the server's clock expires leases early or late. After a long outage all leases
 *   expire at once.
 * @param connect - creates a fresh, not yet connected client, such as `() => new pg.Client(config)`
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function postgresLease(
  connect: () => PostgresLeaseClient,
  options: PostgresLeaseOptions = {},
): LeaseStore {
  functionOption('postgresLease.connect', connect);
  const { table = 'hale_leases' } = objectOption('postgresLease', options);
  return new PostgresLease(connect, tableOption('postgresLease.table', table));
}

type Connection = ReservedConnection<PostgresLeaseClient>;

class PostgresLease implements LeaseStore {
  readonly backend = 'postgres';
  readonly #connect: () => PostgresLeaseClient;
  readonly #table: string;
  readonly #channel: string;
  #connection: Connection | undefined;

  constructor(connect: () => PostgresLeaseClient, table: string) {
    this.#connect = connect;
    this.#table = table;
    this.#channel = table.replace('.', '_');
  }

  async acquire(
    ...[request, call]: Parameters<LeaseStore['acquire']>
  ): ReturnType<LeaseStore['acquire']> {
    const { name, holder, ttlMs, data } = request;
    const values = [name, holder, ttlMs, data, this.#channel];
    const row = await this.#one(acquireSql(this.#table), values, call);
    return typeof row?.['token'] === 'string'
      ? { kind: 'granted', token: tokenOf(row['token']), ttlMs }
      : { kind: 'denied', owner: ownerOf(row) };
  }

  async renew(
    ...[renewal, call]: Parameters<LeaseStore['renew']>
  ): ReturnType<LeaseStore['renew']> {
    const { name, holder, ttlMs, data, token } = renewal;
    const values = [name, holder, String(token), ttlMs, data];
    const row = await this.#one(renewSql(this.#table), values, call);
    return row?.['renewed'] === true
      ? { kind: 'renewed', ttlMs }
      : { kind: 'lost', owner: ownerOf(row) };
  }

  async release(
    ...[{ name, holder, token }, call]: Parameters<LeaseStore['release']>
  ): ReturnType<LeaseStore['release']> {
    const values = [name, holder, String(token), this.#channel];
    const row = await this.#one(releaseSql(this.#table), values, call);
    return { kind: row === undefined ? 'not_held' : 'released' };
  }

  async list(...[query, call]: Parameters<LeaseStore['list']>): ReturnType<LeaseStore['list']> {
    this.#connection ??= createReservedConnection(driver(this.#connect));
    return this.#list(this.#connection, query.prefix, call);
  }

  watch(
    ...[query, listener, context]: Parameters<LeaseStore['watch']>
  ): ReturnType<LeaseStore['watch']> {
    // Each new connection listens: a lost one must not leave the watch to polling.
    const listen = async (client: PostgresLeaseClient): Promise<void> => {
      client.on?.('notification', () => poll.hint());
      await client.query(`LISTEN ${this.#channel}`, []);
    };
    const connection = createReservedConnection(driver(this.#connect, listen));
    const poll = createPollWatch({
      context,
      listener,
      list: (call) => this.#list(connection, query.prefix, call),
      close: () => connection.close(),
    });
    return poll;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #one(sql: string, values: unknown[], call: LeaseCall): Promise<Row | undefined> {
    this.#connection ??= createReservedConnection(driver(this.#connect));
    return (await this.#rows(this.#connection, sql, values, call))[0];
  }

  async #list(
    connection: Connection,
    prefix = '',
    call: LeaseCall,
  ): ReturnType<LeaseStore['list']> {
    const rows = await this.#rows(connection, listSql(this.#table), [prefix], call);
    return readable(rows, recordOf, call);
  }

  #rows(connection: Connection, sql: string, values: unknown[], call: LeaseCall): Promise<Row[]> {
    return connection.ask(async (client) => {
      try {
        return (await client.query(sql, values)).rows as Row[];
      } catch (error) {
        if (codeOf(error) !== UNDEFINED_TABLE) throw error;
      }
      await createTable(client, this.#table);
      return (await client.query(sql, values)).rows as Row[];
    }, call.signal);
  }
}

const UNDEFINED_TABLE = '42P01';
/** Another process creates it at this moment. */
const CREATED_MEANWHILE = ['23505', '42P07', '42710'];

async function createTable(client: PostgresLeaseClient, table: string): Promise<void> {
  try {
    await client.query(postgresLeaseTable(table), []);
  } catch (error) {
    if (!CREATED_MEANWHILE.includes(codeOf(error))) throw error;
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code);
}

const driver = (
  connect: () => PostgresLeaseClient,
  onOpen?: (client: PostgresLeaseClient) => Promise<void>,
): ConnectionDriver<PostgresLeaseClient> => ({
  create: (onLost) => {
    const client = connect();
    // Stays attached for good: a late 'error' without a listener would end the process.
    client.on?.('error', onLost);
    return client;
  },
  connect: async (client) => {
    await client.connect();
    await onOpen?.(client);
  },
  destroy: (client) => {
    // The socket first: a polite end on a dead peer would wait for the kernel to give up.
    client.connection?.stream?.destroy();
    (async () => client.end())().catch(() => {});
  },
});

const EXPIRY = (ttl: string): string => `clock_timestamp() + ${ttl}::float8 * interval '1 ms'`;

const OWNER = `l.holder, l.fence::text AS owner_token,
  extract(epoch FROM l.expires_at - clock_timestamp())::float8 * 1000 AS expires_in_ms`;

/** For this transaction only, so that it also holds behind a pooler: a grant that a crash takes back is granted twice. */
const DURABLE = `durable AS MATERIALIZED (SELECT set_config('synchronous_commit',
  CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
    ELSE current_setting('synchronous_commit') END, true) AS level)`;

// clock_timestamp(), never now(), which is when the transaction began.
const acquireSql = (table: string): string => `WITH ${DURABLE}, attempt AS (
  INSERT INTO ${table} AS l (name, fence, holder, ttl_ms, expires_at, revision, data)
  SELECT $1::text, 1, $2::text, $3::float8, ${EXPIRY('$3')}, 1, $4::text FROM durable
  ON CONFLICT (name) DO UPDATE SET fence = l.fence + 1, holder = excluded.holder,
    ttl_ms = excluded.ttl_ms, expires_at = ${EXPIRY('excluded.ttl_ms')},
    revision = l.revision + 1, data = excluded.data
  WHERE l.holder IS NULL OR l.holder = excluded.holder OR l.expires_at <= clock_timestamp()
  RETURNING fence)
SELECT a.fence::text AS token, ${OWNER},
  CASE WHEN a.fence IS NOT NULL THEN pg_notify($5, $1)::text END AS told
FROM (SELECT 1) AS one LEFT JOIN attempt a ON true LEFT JOIN ${table} l ON l.name = $1`;

const renewSql = (table: string): string => `WITH ${DURABLE}, attempt AS (
  UPDATE ${table} AS l SET expires_at = ${EXPIRY('$4')}, ttl_ms = $4::float8, data = $5::text,
    revision = l.revision + 1
  FROM durable
  WHERE l.name = $1 AND l.holder = $2 AND l.fence = $3::bigint AND l.expires_at > clock_timestamp()
  RETURNING true AS renewed)
SELECT a.renewed, ${OWNER}
FROM (SELECT 1) AS one LEFT JOIN attempt a ON true LEFT JOIN ${table} l ON l.name = $1`;

// The row stays: it holds the token that the next one must exceed.
const releaseSql = (table: string): string => `WITH attempt AS (
  UPDATE ${table} SET holder = NULL, revision = revision + 1
  WHERE name = $1 AND holder = $2 AND fence = $3::bigint AND expires_at > clock_timestamp()
  RETURNING name)
SELECT pg_notify($4, name)::text AS told FROM attempt`;

const listSql = (table: string): string => `SELECT l.name, ${OWNER}, l.ttl_ms,
  l.revision::text AS revision, l.data
FROM ${table} l
WHERE l.holder IS NOT NULL AND l.expires_at > clock_timestamp()
  AND left(l.name, length($1::text)) = $1::text
ORDER BY l.name COLLATE "C"`;
