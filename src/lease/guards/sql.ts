import type { Clock } from '../../core/clock.js';
import { isHaleError } from '../../core/errors.js';
import { choiceOption, durationOption, objectOption, textOption } from '../../core/validate.js';
import { tableOption } from '../table-name.js';
import { type FenceClaim, type SignalledClaim, claimTexts, fencedError } from './claim.js';
import { inTime, timeLimit } from './time-limit.js';

export const SQL_DIALECTS = ['postgres', 'mysql', 'sqlite'] as const;

export type SqlDialect = (typeof SQL_DIALECTS)[number];

/** One statement, with its values in the order of its placeholders. */
export interface SqlStatement {
  readonly text: string;
  readonly values: readonly string[];
}

/** The statements that fence the writes of one table of resources. */
export interface SqlFence {
  /** Creates the table that keeps the highest token of each resource. */
  readonly createTable: string;
  /**
   * To be run first in the transaction of the write. The write may go on if, and only if, the last statement returns a row;
   * otherwise roll back. A newer claim waits until that transaction has ended.
   * @throws OptionError when the claim is none.
   */
  claim(resource: string, claim: FenceClaim): readonly SqlStatement[];
}

/** Options of {@link sqlFence}. */
export interface SqlFenceOptions {
  dialect: SqlDialect;
  /** @defaultValue 'hale_fences' */
  table?: string;
  /**
   * PostgreSQL only: how long the transaction of a write may stand still between two statements. A holder that is frozen in
   * the middle of one would lock out its successor for as long as it is frozen; the server ends its connection instead.
   * @defaultValue 5000
   */
  idleTimeoutMs?: number;
}

const IDLE_TIMEOUT_MS = 5000;

/**
 * The statements for PostgreSQL, MySQL (8) or MariaDB, and SQLite (3.35).
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function sqlFence(options: SqlFenceOptions): SqlFence {
  const { dialect, table = 'hale_fences', idleTimeoutMs = IDLE_TIMEOUT_MS } = options;
  const name = tableOption('sqlFence.table', table);
  const idleMs = Math.ceil(durationOption('sqlFence.idleTimeoutMs', idleTimeoutMs));
  const { createTable, claim } =
    BY_DIALECT[choiceOption('sqlFence.dialect', dialect, SQL_DIALECTS)](name);
  const idle = { text: `SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`, values: [] };
  return {
    createTable,
    claim(resource, given) {
      const { token, holder } = claimTexts(given);
      const values = [textOption('fence.resource', resource), token, holder];
      const statements = claim.map((text) => ({ text, values }));
      return dialect === 'postgres' ? [idle, ...statements] : statements;
    },
  };
}

interface Texts {
  readonly createTable: string;
  /** Each with resource, token and holder as its values. */
  readonly claim: readonly string[];
}

const accepts = (token: string, holder: string): string =>
  `WHERE excluded.${token} > f.${token}
  OR (excluded.${token} = f.${token} AND excluded.${holder} = f.${holder})`;

const upsert = (table: string, values: string): string => `INSERT INTO ${table} AS f
  (resource, token, holder) VALUES (${values})
ON CONFLICT (resource) DO UPDATE SET token = excluded.token, holder = excluded.holder
${accepts('token', 'holder')}
RETURNING 1 AS accepted`;

const BY_DIALECT: Readonly<Record<SqlDialect, (table: string) => Texts>> = {
  postgres: (table) => ({
    createTable: `CREATE TABLE IF NOT EXISTS ${table} (
  resource text PRIMARY KEY, token bigint NOT NULL, holder text NOT NULL)`,
    claim: [upsert(table, '$1, $2::bigint, $3')],
  }),
  sqlite: (table) => ({
    createTable: `CREATE TABLE IF NOT EXISTS ${table} (
  resource TEXT PRIMARY KEY, token INTEGER NOT NULL, holder TEXT NOT NULL)`,
    claim: [upsert(table, '?1, CAST(?2 AS INTEGER), ?3')],
  }),
  mysql: (table) => ({
    createTable: `CREATE TABLE IF NOT EXISTS ${table} (
  resource VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY,
  token BIGINT UNSIGNED NOT NULL,
  holder VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL) ENGINE = InnoDB`,
    // The first locks the row, whatever it changes; assignments are made from left to right.
    claim: [
      `INSERT INTO ${table} (resource, token, holder) VALUES (?, CAST(? AS UNSIGNED), ?)
ON DUPLICATE KEY UPDATE holder = IF(VALUES(token) > token, VALUES(holder), holder),
  token = GREATEST(token, VALUES(token))`,
      `SELECT 1 AS accepted FROM ${table}
WHERE resource = ? AND token = CAST(? AS UNSIGNED) AND holder = ? FOR UPDATE`,
    ],
  }),
};

/** The part of a `pg.Client` (pg 8), or of a client of its pool, that {@link postgresGuard} uses. */
export interface PostgresGuardClient {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** Writes to PostgreSQL that a newer token has not overtaken. */
export interface PostgresGuard {
  /** The statement for your migrations. */
  readonly createTable: string;
  /**
   * Runs `work` in a transaction on `client`, a connection that nobody else uses meanwhile.
   * @throws HaleError `HALE_FENCED` when the token is too old: nothing was written. `HALE_GUARD_TIMEOUT` without an answer to
   * a statement of the guard's own; the connection must not be used again then.
   */
  write<T>(
    client: PostgresGuardClient,
    resource: string,
    claim: SignalledClaim,
    work: () => Promise<T>,
  ): Promise<T>;
}

/** Options of `postgresGuard`. */
export interface PostgresGuardOptions extends Omit<SqlFenceOptions, 'dialect'> {
  /**
   * How long each statement of the guard's own may take: what `work` does is yours to bound. The claim waits for the
   * transaction of an older write to end, which may stand still for `idleTimeoutMs`.
   * @defaultValue `idleTimeoutMs` and another 4000
   */
  timeoutMs?: number;
  /** @defaultValue the system clock */
  clock?: Clock;
}

/** Creates the guard of tables of PostgreSQL. */
export function createPostgresGuard(
  options: PostgresGuardOptions,
  systemClock: Clock,
): PostgresGuard {
  const fence = sqlFence({ ...objectOption('postgresGuard', options), dialect: 'postgres' });
  const timeoutMs = options.timeoutMs ?? (options.idleTimeoutMs ?? IDLE_TIMEOUT_MS) + 4000;
  const limit = timeLimit('postgresGuard', { ...options, timeoutMs }, systemClock);
  return {
    createTable: fence.createTable,
    async write(client, resource, claim, work) {
      const statements = fence.claim(resource, claim);
      const ask = (text: string, values: unknown[] = [], signal?: AbortSignal) =>
        inTime(limit, resource, signal, () => client.query(text, values));
      claim.signal?.throwIfAborted();
      try {
        // Whose answer nobody waits for may have begun one all the same.
        await ask('BEGIN', [], claim.signal);
        let rows: readonly unknown[] = [];
        for (const { text, values } of statements)
          ({ rows } = await ask(text, [...values], claim.signal));
        if (rows.length === 0) throw fencedError(resource, claim);
        const result = await work();
        await ask('COMMIT', [], claim.signal);
        return result;
      } catch (error) {
        // A connection that is gone has rolled back by itself, and one without answers would not answer to this either.
        const rolledBack = ask('ROLLBACK').catch(() => {});
        if (!isHaleError(error, 'HALE_GUARD_TIMEOUT')) await rolledBack;
        throw error;
      }
    },
  };
}
