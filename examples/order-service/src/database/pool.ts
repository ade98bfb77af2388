import pg from 'pg';
import type { Log } from '../log.js';

const TIMEOUT_MS = 3_000;

/** The pool that requests use; a broken connection is logged and replaced, never thrown. */
export function createPool(connectionString: string, log: Log): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: 5,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
  });
  pool.on('error', (error) => log.warn({ code: codeOf(error) }, 'idle database connection lost'));
  return pool;
}

/** A connection of its own for the database check, outside the pool. */
export function createCheckClient(connectionString: string): pg.Client {
  return new pg.Client({ connectionString, connectionTimeoutMillis: TIMEOUT_MS });
}

/** The stable part of an error; its text may hold an address or a password. */
export function codeOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code);
  return error instanceof Error ? error.name : 'unknown';
}

// SQLSTATE classes: connection exception, insufficient resources, operator intervention, system error;
// and the table that the start-up task has yet to create.
const UNAVAILABLE = /^(?:08|53|57|58)...$|^42P01$/;

/** True when the database cannot serve now, false when the service asked something wrong. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return UNAVAILABLE.test(error.code ?? '');
  const syscallFailed = error instanceof Error && 'syscall' in error;
  return (
    syscallFailed ||
    (error instanceof Error && /timeout|connection|terminated/i.test(error.message))
  );
}
