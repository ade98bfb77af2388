import { untilAborted } from '../core/abort.js';
import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import { describe } from '../core/errors.js';
import { limitsAbove, statusAbove } from '../core/limits.js';
import { functionOption } from '../core/validate.js';

/** Options of {@link replicationLag}. */
export interface ReplicationLagOptions extends CheckOptions {
  /** Warns when the replica is further behind, in milliseconds. @defaultValue 10000 */
  warnAboveMs?: number;
  /**
   * Fails when the replica is further behind, in milliseconds. Off by default: a primary that writes a lot takes every
   * replica behind at once.
   * @defaultValue Infinity
   */
  failAboveMs?: number;
}

/**
 * Asks a PostgreSQL standby (10 and later) for its lag in seconds, column `seconds`; a primary has none. While the
 * standby is connected and has replayed all it received the lag is 0, however long the primary has written nothing;
 * without a connection it grows from the last transaction on. NULL when nothing was ever replayed.
 */
export const POSTGRES_REPLICATION_LAG = `SELECT CASE
  WHEN NOT pg_is_in_recovery() THEN 0
  WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
    AND EXISTS (SELECT FROM pg_stat_wal_receiver) THEN 0
  ELSE EXTRACT(EPOCH FROM clock_timestamp() - pg_last_xact_replay_timestamp())
END::float8 AS seconds`;

/**
 * Asks a MySQL (8.0.22 and later) or MariaDB (10.5.1 and later) server about its replication; older ones know it as
 * `SHOW SLAVE STATUS`, and MariaDB with several sources as `SHOW ALL REPLICAS STATUS`. For {@link mysqlReplicationLag}.
 */
export const MYSQL_REPLICATION_STATUS = 'SHOW REPLICA STATUS';

/**
 * The seconds that the rows of {@link MYSQL_REPLICATION_STATUS} tell, of MySQL or MariaDB under their old and new names:
 * of several sources the one furthest behind; 0 without a source, since a primary has no lag; null when a source is not
 * connected or what it sent is not applied, whatever number is left over from before.
 * @throws Error when the rows are no replication status
 */
export function mysqlReplicationLag(rows: unknown): number | null {
  if (!Array.isArray(rows)) throw new Error(`no rows of a replication status: ${describe(rows)}`);
  const lags = rows.map(lagOfSource);
  return lags.includes(null) ? null : Math.max(0, ...lags.map(Number));
}

function lagOfSource(row: unknown): number | null {
  const value = (...names: string[]): unknown => {
    const status = row as Readonly<Record<string, unknown>>;
    const name = names.find((each) => each in status);
    if (name !== undefined) return status[name];
    throw new Error(`no replication status: there is no column ${names.join(' or ')}`);
  };
  const receives = value('Replica_IO_Running', 'Slave_IO_Running') === 'Yes';
  const applies = value('Replica_SQL_Running', 'Slave_SQL_Running') === 'Yes';
  const seconds = value('Seconds_Behind_Source', 'Seconds_Behind_Master');
  if (!receives || !applies || seconds === null) return null;
  // A text with drivers told to give big numbers as texts.
  return Number(seconds);
}

/**
 * The seconds that the text of `INFO replication` tells on a replica of Redis or Valkey, 0 on a primary: since the last
 * byte from the primary, which says something at least every `repl-ping-replica-period`, 10 s by default; without a
 * connection since it was lost; null when there never was one. Redis has no other notion of time between the two.
 * @throws Error when the text is no such information
 */
export function redisReplicationLag(info: unknown): number | null {
  const fields = typeof info === 'string' ? infoFields(info) : new Map<string, string>();
  const role = fields.get('role');
  if (role === 'master') return 0;
  if (role !== 'slave') throw new Error(`no text of INFO replication: ${describe(info)}`);
  const isConnected = fields.get('master_link_status') === 'up';
  const name = isConnected ? 'master_last_io_seconds_ago' : 'master_link_down_since_seconds';
  const seconds = Number(fields.get(name) ?? -1);
  return seconds < 0 ? null : seconds;
}

function infoFields(info: string): Map<string, string> {
  const pairs = info.split(/\r?\n/).map((line) => line.split(':', 2));
  return new Map(pairs.map(([name = '', value = '']) => [name, value]));
}

/**
 * Looks at how far a replica is behind, as a function of yours tells in seconds.
 *
 * - pass: at most `warnAboveMs`.
 * - warn: more; code `replica_behind`.
 * - fail: more than `failAboveMs` (`replica_behind`); the function gave null, because replication does not run
 *   (`lag_unknown`), gave no number or threw; or there was no answer before the timeout.
 *
 * Suggested impact: `degraded`; `critical` with a `failAboveMs` where old data is worse than none. Cost: one call per run.
 * @param readSeconds - seconds behind; null or undefined when that is not known
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function replicationLag(
  readSeconds: (
    signal: AbortSignal,
  ) => number | null | undefined | Promise<number | null | undefined>,
  options: ReplicationLagOptions = {},
): Check {
  const { warnAboveMs: warn = 10_000, failAboveMs: fail = Infinity, ...checkOptions } = options;
  functionOption('replicationLag.readSeconds', readSeconds);
  const names = { warn: 'replicationLag.warnAboveMs', fail: 'replicationLag.failAboveMs' };
  const limits = limitsAbove(names, { warn, fail });
  return {
    componentType: 'datastore',
    measurement: 'replicationLag',
    impact: 'degraded',
    ...checkOptions,
    run: async (signal) => {
      signal.throwIfAborted();
      const noAnswer = () => new Error('the replica did not say its lag', { cause: signal.reason });
      const reading = (async () => readSeconds(signal))();
      const seconds = await untilAborted(reading, signal, noAnswer);
      return judge(seconds, limits);
    },
  };
}

function judge(seconds: unknown, limits: { warn: number; fail: number }): CheckResult {
  if (seconds === null || seconds === undefined) {
    return {
      status: 'fail',
      code: 'lag_unknown',
      output: 'nobody knows how far the replica is behind',
    };
  }
  // A comparison with NaN would pass for ever, and drivers give some numbers as texts.
  if (typeof seconds !== 'number' || Number.isNaN(seconds)) {
    throw new Error(`the lag must be a number of seconds, got ${describe(seconds)}`);
  }
  const observed = { observedValue: seconds, observedUnit: 's' };
  const status = statusAbove(seconds * 1000, limits);
  if (status === 'pass') return { status, ...observed };
  const output = `the replica is ${Math.round(seconds * 10) / 10} s behind`;
  return { status, code: 'replica_behind', output, ...observed };
}
