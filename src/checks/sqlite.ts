import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import { OptionError } from '../core/errors.js';
import { choiceOption, textOption } from '../core/validate.js';

/** The part of a `Database` of better-sqlite3 (11, 12) or a `DatabaseSync` of node:sqlite that {@link sqliteQuery} uses. */
export interface SqliteLike {
  prepare(sql: string): SqliteStatementLike;
}

/** A prepared statement. */
export interface SqliteStatementLike {
  /** The first row. */
  get(): unknown;
}

/** Options of {@link sqliteQuery}. */
export interface SqliteQueryOptions extends CheckOptions {
  /**
   * The statement. The default looks at the first page of the file, which a prepared `SELECT 1` does not.
   * @defaultValue 'SELECT 1 FROM sqlite_master LIMIT 1'
   */
  query?: string;
  /**
   * Looks through the whole file as well: `'quick'` without indexes, `'full'` with them. It blocks the event loop for as
   * long as that takes; use an `intervalMs` of hours, or a copy of the file in a process of its own.
   * @defaultValue 'off'
   */
  integrity?: 'off' | 'quick' | 'full';
}

const PRAGMAS = {
  off: undefined,
  quick: 'PRAGMA quick_check(1)',
  full: 'PRAGMA integrity_check(1)',
} as const;

/**
 * Runs a statement on the application's own SQLite handle, which works synchronously.
 *
 * - pass: the statement ran and, if asked for, the file is sound.
 * - warn: never.
 * - fail: the handle is closed, the file cannot be read or is locked for longer than the handle's busy timeout, or the
 *   look at the file found something (`database_corrupt`).
 *
 * Suggested impact: `critical`. Cost: one page read per run, nearly always from the cache; it holds the event loop for up
 * to the handle's busy timeout while another process has locked the file.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no handle or an option out of range
 */
export function sqliteQuery(database: SqliteLike, options: SqliteQueryOptions = {}): Check {
  const { query = 'SELECT 1 FROM sqlite_master LIMIT 1', integrity = 'off', ...rest } = options;
  if (typeof database?.prepare !== 'function') {
    throw new OptionError('sqliteQuery.database', 'a SQLite handle with prepare()', database);
  }
  textOption('sqliteQuery.query', query);
  choiceOption('sqliteQuery.integrity', integrity, ['off', 'quick', 'full']);
  const statement = lazyStatement(database, query);
  const pragma = PRAGMAS[integrity];
  const inspection = pragma === undefined ? undefined : lazyStatement(database, pragma);
  return {
    componentType: 'datastore',
    measurement: 'responseTime',
    ...rest,
    run: () => {
      statement().get();
      return inspection === undefined ? undefined : judge(inspection().get());
    },
  };
}

/** Prepared once: some bindings keep what a statement holds until the handle is closed. */
function lazyStatement(database: SqliteLike, sql: string): () => SqliteStatementLike {
  let statement: SqliteStatementLike | undefined;
  return () => (statement ??= database.prepare(sql));
}

function judge(row: unknown): CheckResult {
  const finding: unknown = typeof row === 'object' && row !== null ? Object.values(row)[0] : row;
  if (finding === 'ok') return { status: 'pass' };
  const output = typeof finding === 'string' ? finding : 'the look at the file gave no answer';
  return { status: 'fail', code: 'database_corrupt', output };
}
