import { OptionError } from '../../core/errors.js';
import type { Clock } from '../../core/clock.js';
import type { LeaseCall, LeaseStore } from '../../core/lease-store.js';
import { durationOption, objectOption, textOption } from '../../core/validate.js';
import { thisMachine } from '../machine.js';
import { readable } from '../foreign-entry.js';
import { createPollWatch } from '../poll-watch.js';
import { type Row, ownerOf, recordOf, tokenOf } from '../rows.js';
import {
  type OpenFile,
  explainLocked,
  isLocked,
  openFile,
  sqlitePath,
  useWriteAheadLog,
} from '../sqlite-file.js';
import { tableOption } from '../table-name.js';

/**
 * The part of a `DatabaseSync` of node:sqlite, or of a `Database` of better-sqlite3 (11, 12) or node-sqlite3-wasm (0.8),
 * that {@link sqliteLease} uses.
 */
export interface SqliteLeaseHandle {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteLeaseStatement;
}

/** A prepared statement with one value. */
export interface SqliteLeaseStatement {
  all(value: string): unknown;
  /** Where the binding does not do it by itself (node-sqlite3-wasm). */
  finalize?(): unknown;
}

/** Options of {@link sqliteLease}. */
export interface SqliteLeaseOptions {
  /** Created when it does not exist. @defaultValue 'hale_leases' */
  table?: string;
  /** How long a call waits for another process that has locked the file, without blocking this thread. @defaultValue 250 */
  busyTimeoutMs?: number;
  /** What changes with every boot of the machine. @defaultValue the boot id of Linux; empty elsewhere */
  bootId?: string;
}

/**
 * Keeps leases in a SQLite file that processes of one machine share. Give it a handle of its own, because calls must not
 * become part of a transaction of yours, and a file of its own, because whoever is frozen in the middle of a transaction
 * keeps the whole file locked. The file gets a write-ahead log where the binding has one.
 *
 * - Guarantees: one holder, and tokens that only grow, among all processes of one machine, over crashes and reboots:
 *   every grant is on the disk before it is used. Times are the machine's monotonic clock, so a change of the wall clock
 *   changes nothing; after a reboot every lease is free.
 * - Does not: work over a network file system, or between machines. A holder that is frozen within the some 30 µs in which
 *   its renewal has the file locked is replaced only when it is killed or goes on. A file that is restored from a copy, or
 *   deleted, starts its tokens again.
 *
 * A renewal blocks the event loop for less than a millisecond, a grant for a write to the disk, and each attempt at a file
 * that is locked for 5 ms.
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function sqliteLease(
  database: SqliteLeaseHandle,
  options: SqliteLeaseOptions = {},
): LeaseStore {
  if (typeof database?.prepare !== 'function' || typeof database.exec !== 'function')
    throw new OptionError(
      'sqliteLease.database',
      'a SQLite handle with prepare() and exec()',
      database,
    );
  return new SqliteLease(database, objectOption('sqliteLease', options));
}

/** Whether a write to the log waits for the disk: only with `FULL`. */
type Synchronous = 'NORMAL' | 'FULL';

class SqliteLease implements LeaseStore {
  readonly backend = 'sqlite';
  readonly #database: SqliteLeaseHandle;
  readonly #table: string;
  readonly #busyTimeoutMs: number;
  readonly #machine = thisMachine();
  readonly #statements = new Map<string, SqliteLeaseStatement>();
  /** Whether there is a write-ahead log; undefined, and asked for again, as long as the file could not be changed to one. */
  #log: boolean | undefined;
  #file: OpenFile | undefined;

  constructor(database: SqliteLeaseHandle, options: SqliteLeaseOptions) {
    this.#database = database;
    this.#table = tableOption('sqliteLease.table', options.table ?? 'hale_leases');
    const { busyTimeoutMs = 250, bootId } = options;
    this.#busyTimeoutMs = durationOption('sqliteLease.busyTimeoutMs', busyTimeoutMs, 0);
    if (bootId !== undefined)
      this.#machine = { ...this.#machine, bootId: textOption('sqliteLease.bootId', bootId) };
  }

  async acquire(
    ...[request, call]: Parameters<LeaseStore['acquire']>
  ): ReturnType<LeaseStore['acquire']> {
    const { ttlMs, name, holder } = request;
    // Whoever waits must not lock the file each time it asks: it may be frozen just then.
    const owner = ownerOf(await this.#owner(name, call));
    if (owner.holder !== undefined && owner.holder !== holder) return { kind: 'denied', owner };
    const [granted] = await this.#ask(acquireSql(this.#table), request, call, 'FULL');
    if (granted !== undefined) return { kind: 'granted', token: tokenOf(granted['token']), ttlMs };
    return { kind: 'denied', owner: ownerOf(await this.#owner(name, call)) };
  }

  async renew(
    ...[renewal, call]: Parameters<LeaseStore['renew']>
  ): ReturnType<LeaseStore['renew']> {
    const { ttlMs, name, token } = renewal;
    const values = { ...renewal, token: String(token) };
    const [renewed] = await this.#ask(renewSql(this.#table), values, call, this.#lasting());
    if (renewed !== undefined) return { kind: 'renewed', ttlMs };
    return { kind: 'lost', owner: ownerOf(await this.#owner(name, call)) };
  }

  async release(
    ...[claim, call]: Parameters<LeaseStore['release']>
  ): ReturnType<LeaseStore['release']> {
    const values = { ...claim, token: String(claim.token) };
    const [released] = await this.#ask(releaseSql(this.#table), values, call, this.#lasting());
    return { kind: released === undefined ? 'not_held' : 'released' };
  }

  async list(
    ...[{ prefix = '' }, call]: Parameters<LeaseStore['list']>
  ): ReturnType<LeaseStore['list']> {
    return readable(await this.#ask(listSql(this.#table), { prefix }, call), recordOf, call);
  }

  watch(
    ...[query, listener, context]: Parameters<LeaseStore['watch']>
  ): ReturnType<LeaseStore['watch']> {
    return createPollWatch({ context, listener, list: (call) => this.list(query, call) });
  }

  async #owner(name: string, call: LeaseCall): Promise<Row | undefined> {
    const rows = await this.#ask(listSql(this.#table), { prefix: name }, call);
    return rows.find((row) => row['name'] === name);
  }

  /**
   * A grant that a power cut takes back would be granted again, with the same token. A renewal may be taken back, because
   * every lease is free after a reboot; without a write-ahead log the file could be damaged.
   */
  #lasting(): Synchronous {
    return this.#log === true ? 'NORMAL' : 'FULL';
  }

  /** Asks until the file is free, for `busyTimeoutMs`: SQLite itself would wait with a main loop that stands still. */
  async #ask(sql: string, values: object, call: LeaseCall, lasting?: Synchronous): Promise<Row[]> {
    const { clock, signal } = call;
    const until = clock.now() + this.#busyTimeoutMs;
    for (;;) {
      signal.throwIfAborted();
      try {
        this.#prepareDatabase();
        if (lasting !== undefined) this.#database.exec(`PRAGMA synchronous = ${lasting}`);
        return this.#run(sql, { ...values, now: clock.now() - this.#machine.offsetMs });
      } catch (error) {
        if (!isLocked(error)) throw error;
        if (clock.now() >= until) throw explainLocked(error, this.#database);
      }
      await pause(clock);
    }
  }

  /** All values travel in one text: bindings agree on nothing else. */
  #run(sql: string, values: object): Row[] {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    try {
      return statement.all(JSON.stringify({ ...values, boot: this.#machine.bootId })) as Row[];
    } finally {
      // Some bindings keep memory for a statement until it is finalized.
      if (statement.finalize === undefined) this.#statements.set(sql, statement);
      else statement.finalize();
    }
  }

  #prepareDatabase(): void {
    this.#file?.assertThere();
    if (this.#log === undefined) {
      this.#log = useWriteAheadLog(this.#database);
      this.#database.exec(`PRAGMA busy_timeout = ${BLOCKS_MS}`);
      this.#file = undefined;
    }
    if (this.#file !== undefined) return;
    // Refused within a transaction of somebody else's, which could take the table back.
    this.#database.exec('PRAGMA synchronous = FULL');
    this.#database.exec(tableSql(this.#table));
    this.#file = openFile(sqlitePath(this.#database));
  }
}

/** Longer than a renewal, or the step of a grant that does not wait for the disk. */
const BLOCKS_MS = 5;
const ASK_AGAIN_MS = 10;

/** A caller that awaits a call and nothing else must not end meanwhile. */
function pause(clock: Clock): Promise<void> {
  const alive = { keepsProcessAlive: true };
  return new Promise((resolve) => void clock.setTimeout(resolve, ASK_AGAIN_MS, alive));
}

const value = (name: string): string => `json_extract(?1, '$.${name}')`;

const tableSql = (table: string): string => `CREATE TABLE IF NOT EXISTS ${table} (
  name TEXT PRIMARY KEY, fence INTEGER NOT NULL, holder TEXT, ttl_ms REAL NOT NULL,
  expires_at REAL NOT NULL, boot TEXT NOT NULL, revision INTEGER NOT NULL, data TEXT NOT NULL)`;

// One statement is one transaction. Where the boot is unknown, a time that cannot have been reached yet is of another one.
const acquireSql = (table: string): string => `INSERT INTO ${table} AS l
    (name, fence, holder, ttl_ms, expires_at, boot, revision, data)
  SELECT ${value('name')}, 1, ${value('holder')}, ${value('ttlMs')},
    ${value('now')} + ${value('ttlMs')}, ${value('boot')}, 1, ${value('data')} WHERE true
  ON CONFLICT (name) DO UPDATE SET fence = l.fence + 1, holder = excluded.holder,
    ttl_ms = excluded.ttl_ms, expires_at = excluded.expires_at, boot = excluded.boot,
    revision = l.revision + 1, data = excluded.data
  WHERE l.holder IS NULL OR l.holder = excluded.holder OR l.boot <> excluded.boot
    OR l.expires_at <= ${value('now')}
    OR (l.boot = '' AND l.expires_at > ${value('now')} + l.ttl_ms)
  RETURNING CAST(fence AS TEXT) AS token`;

const isClaim = `name = ${value('name')} AND holder = ${value('holder')}
    AND fence = CAST(${value('token')} AS INTEGER)`;
const isAlive = `boot = ${value('boot')} AND expires_at > ${value('now')}
    AND (boot <> '' OR expires_at <= ${value('now')} + ttl_ms)`;

const renewSql = (table: string): string => `UPDATE ${table}
  SET expires_at = ${value('now')} + ${value('ttlMs')}, ttl_ms = ${value('ttlMs')},
    data = ${value('data')}, revision = revision + 1
  WHERE ${isClaim} AND ${isAlive} RETURNING 1 AS renewed`;

// The row stays: it holds the token that the next one must exceed.
const releaseSql = (table: string): string => `UPDATE ${table}
  SET holder = NULL, revision = revision + 1 WHERE ${isClaim} AND ${isAlive} RETURNING 1 AS released`;

const listSql = (table: string): string => `SELECT name, holder, CAST(fence AS TEXT) AS owner_token,
    ttl_ms, expires_at - ${value('now')} AS expires_in_ms, revision, data
  FROM ${table}
  WHERE holder IS NOT NULL AND ${isAlive}
    AND substr(name, 1, length(${value('prefix')})) = ${value('prefix')}
  ORDER BY name`;
