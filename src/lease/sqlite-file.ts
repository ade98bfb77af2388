import { errorText } from '../core/error-text.js';
import { fileLocker } from './file-lock.js';
import type { Row } from './rows.js';

/** What is common to the handles of all bindings. */
export interface SqliteHandle {
  exec(sql: string): unknown;
  prepare(sql: string): { all(value: string): unknown; finalize?(): unknown };
}

/** Runs a statement with one value, once. @throws Error of the binding */
export function sqliteRows(database: SqliteHandle, sql: string, value: string): Row[] {
  const statement = database.prepare(sql);
  try {
    return statement.all(value) as Row[];
  } finally {
    statement.finalize?.();
  }
}

/** The file behind a handle; nothing for a database in memory. Never throws. */
export function sqlitePath(database: SqliteHandle): string | undefined {
  try {
    // Bindings agree on statements with one value alone.
    const sql = `SELECT file FROM pragma_database_list WHERE name = ?1`;
    const file = sqliteRows(database, sql, 'main')[0]?.['file'];
    return typeof file === 'string' && file !== '' ? file : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps a write-ahead log instead of a rollback journal, if file and binding allow it: a write then holds the lock for
 * a fraction of the time, and whoever reads locks out nobody. Waits for nobody.
 * @returns whether there is a log now; `undefined` when that failed, mostly because another process had locked the file
 */
export function useWriteAheadLog(database: SqliteHandle): boolean | undefined {
  try {
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('PRAGMA journal_mode = WAL');
    const sql = 'SELECT journal_mode AS mode FROM pragma_journal_mode WHERE ?1 IS NOT NULL';
    return sqliteRows(database, sql, '')[0]?.['mode'] === 'wal';
  } catch {
    return undefined;
  }
}

/** Whether an error means that the file is locked: the text is the same in every binding, the code is not. */
export function isLocked(error: unknown): boolean {
  return errorText(error).includes('database is locked');
}

/**
 * Says of an error that means that the file is locked who has locked it, and keeps its code; every other error is
 * returned as it is.
 */
export function explainLocked(error: unknown, database: SqliteHandle): unknown {
  if (!isLocked(error)) return error;
  const file = sqlitePath(database);
  const locker = file === undefined ? undefined : fileLocker(file);
  const text = `the SQLite file is locked by ${lockerText(locker)}`;
  const { code } = error as { code?: unknown };
  return Object.assign(new Error(text, { cause: error }), code === undefined ? {} : { code });
}

function lockerText(locker: ReturnType<typeof fileLocker>): string {
  if (locker === undefined) return 'another process';
  if (locker.pid === process.pid) return 'this process, through another handle';
  return `process ${locker.pid}${locker.stopped ? ', which is stopped' : ''}`;
}

/** A file that is open. */
export interface OpenFile {
  /** @throws Error when it, or its log, is gone or another one by now: others would agree on something else */
  assertThere(): void;
}

/** What SQLite may keep beside the file, for as long as anybody has it open with a write-ahead log. */
const PARTS = ['', '-wal', '-shm'];

/** Remembers which files have that name, and the names of its log, now. */
export function openFile(file: string | undefined): OpenFile {
  const parts = PARTS.map((end) => ({ end, before: file && identityOf(file + end) }));
  return {
    assertThere() {
      for (const { end, before } of parts) {
        if (before === undefined || identityOf(file + end) === before) continue;
        throw new Error(`the SQLite file${end} was removed or replaced while it was open: ${GONE}`);
      }
    },
  };
}

const GONE = 'put it back, or start this process anew';

function identityOf(file: string): string | undefined {
  try {
    const { statSync } = process.getBuiltinModule('node:fs');
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? undefined : `${found.dev}:${found.ino}`;
  } catch {
    return undefined;
  }
}
