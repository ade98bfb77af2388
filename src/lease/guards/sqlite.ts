import { HaleError, OptionError } from '../../core/errors.js';
import { textOption } from '../../core/validate.js';
import { type FenceClaim, claimTexts, fencedError } from './claim.js';
import { explainLocked, sqliteRows } from '../sqlite-file.js';
import { tableOption } from '../table-name.js';

/** The part of a handle of node:sqlite, better-sqlite3 or node-sqlite3-wasm that {@link sqliteGuard} uses. */
export interface SqliteGuardHandle {
  exec(sql: string): unknown;
  prepare(sql: string): { all(value: string): unknown; finalize?(): unknown };
}

/** Writes to SQLite that a newer token has not overtaken. */
export interface SqliteGuard {
  /**
   * Runs `work`, which is synchronous, in a transaction.
   * @throws HaleError `HALE_FENCED` when the token is too old: nothing was written. `HALE_STATE` when `work` returns a
   * promise: nothing was written. What the binding throws when the file stays locked for longer than the handle waits, with
   * the process that has locked it in its text.
   */
  write<T>(resource: string, claim: FenceClaim, work: () => T): T;
}

/** Options of {@link sqliteGuard}. */
export interface SqliteGuardOptions {
  /** Created when it does not exist. @defaultValue 'hale_fences' */
  table?: string;
}

/**
 * Guards tables of a SQLite file, through the handle that writes them.
 * @throws OptionError for what is no handle, or a table without a valid name.
 */
export function sqliteGuard(
  database: SqliteGuardHandle,
  { table = 'hale_fences' }: SqliteGuardOptions = {},
): SqliteGuard {
  if (typeof database?.prepare !== 'function' || typeof database.exec !== 'function')
    throw new OptionError(
      'sqliteGuard.database',
      'a SQLite handle with prepare() and exec()',
      database,
    );
  const name = tableOption('sqliteGuard.table', table);
  let created = false;

  const begin = (): void => {
    try {
      if (!created) database.exec(tableSql(name));
      created = true;
      database.exec('BEGIN IMMEDIATE');
    } catch (error) {
      throw explainLocked(error, database);
    }
  };
  const claimed = (values: object): boolean =>
    sqliteRows(database, claimSql(name), JSON.stringify(values)).length > 0;

  return {
    write(resource, claim, work) {
      const values = { resource: textOption('fence.resource', resource), ...claimTexts(claim) };
      begin();
      try {
        if (!claimed(values)) throw fencedError(resource, claim);
        const result = work();
        if (result instanceof Promise) throw asyncError(result);
        database.exec('COMMIT');
        return result;
      } catch (error) {
        rollBack(database);
        throw error;
      }
    },
  };
}

function asyncError(result: Promise<unknown>): HaleError {
  result.catch(() => {});
  return new HaleError('HALE_STATE', 'the work of sqliteGuard must not be asynchronous');
}

function rollBack(database: SqliteGuardHandle): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // Some errors of SQLite have ended the transaction already.
  }
}

const tableSql = (table: string): string => `CREATE TABLE IF NOT EXISTS ${table} (
  resource TEXT PRIMARY KEY, token INTEGER NOT NULL, holder TEXT NOT NULL)`;

// All values in one text: bindings agree on nothing else.
const claimSql = (table: string): string => `INSERT INTO ${table} AS f (resource, token, holder)
SELECT json_extract(?1, '$.resource'), CAST(json_extract(?1, '$.token') AS INTEGER),
  json_extract(?1, '$.holder') WHERE true
ON CONFLICT (resource) DO UPDATE SET token = excluded.token, holder = excluded.holder
WHERE excluded.token > f.token OR (excluded.token = f.token AND excluded.holder = f.holder)
RETURNING 1 AS accepted`;
