import { describe, expect, it } from 'vitest';
import {
  type ReplicationLagOptions,
  mysqlReplicationLag,
  redisReplicationLag,
  replicationLag,
} from '../../src/checks/replication-lag.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

const clock = createManualClock();
const run = (seconds: unknown, options: ReplicationLagOptions = {}) =>
  harness(
    replicationLag(() => seconds as number, options),
    clock,
  ).run();

describe('replicationLag', () => {
  it('passes, warns, and fails only when told so', async () => {
    expect(await run(10)).toMatchObject({ status: 'pass', observedValue: 10, observedUnit: 's' });
    expect(await run(10.04)).toMatchObject({
      status: 'warn',
      code: 'replica_behind',
      output: 'the replica is 10 s behind',
    });
    expect((await run(86_400)).status).toBe('warn');
    expect((await run(61, { failAboveMs: 60_000 })).status).toBe('fail');
  });

  it.each([null, undefined])('%s is a lag that nobody knows, not none', async (seconds) => {
    expect(await run(seconds)).toMatchObject({ status: 'fail', code: 'lag_unknown' });
  });

  it.each(['3', Number.NaN, { seconds: 3 }])('%o is no number of seconds', async (seconds) => {
    const outcome = await run(seconds);
    expect(outcome).toMatchObject({ status: 'fail', code: 'error' });
    expect(outcome.output).toMatch(/the lag must be a number of seconds, got /);
  });

  it('holds its deadline, and takes a synchronous throw', async () => {
    const never = harness(
      replicationLag(() => new Promise<number>(() => {})),
      clock,
    ).run();
    await clock.advance(1_000);
    expect(await never).toMatchObject({ output: 'the replica did not say its lag: timed out' });
    const thrown = replicationLag(() => {
      throw new Error('password=hunter2 refused');
    });
    const outcome = await harness(thrown, clock).run();
    expect(outcome.status).toBe('fail');
    expect(outcome.output).not.toContain('hunter2');
  });

  it('names the bad option', () => {
    expect(() => replicationLag(() => 1, { failAboveMs: 5 })).toThrow(
      /replicationLag.failAboveMs must be a number from 10000/,
    );
    expect(() => replicationLag('SELECT' as never)).toThrow(/replicationLag.readSeconds must be/);
  });
});

describe('mysqlReplicationLag', () => {
  const mariadb = (seconds: unknown, io = 'Yes', sql = 'Yes') => ({
    Slave_IO_Running: io,
    Slave_SQL_Running: sql,
    Seconds_Behind_Master: seconds,
  });
  const mysql = (seconds: unknown, io = 'Yes', sql = 'Yes') => ({
    Replica_IO_Running: io,
    Replica_SQL_Running: sql,
    Seconds_Behind_Source: seconds,
  });

  it.each([
    ['MariaDB', mariadb],
    ['MySQL', mysql],
  ])('reads what %s says', (_, status) => {
    expect(mysqlReplicationLag([status(0)])).toBe(0);
    expect(mysqlReplicationLag([status(73)])).toBe(73);
    expect(mysqlReplicationLag([status('73')])).toBe(73);
    expect(mysqlReplicationLag([status(null)])).toBeNull();
    expect(mysqlReplicationLag([status(0, 'Connecting')])).toBeNull();
    expect(mysqlReplicationLag([status(0, 'Yes', 'No')])).toBeNull();
  });

  it('of several sources the one furthest behind counts, and one that is gone', () => {
    expect(mysqlReplicationLag([mariadb(3), mariadb(11), mariadb(0)])).toBe(11);
    expect(mysqlReplicationLag([mariadb(3), mariadb(0, 'No')])).toBeNull();
  });

  it('a primary has no lag', () => {
    expect(mysqlReplicationLag([])).toBe(0);
  });

  it('refuses what is no replication status', () => {
    expect(() => mysqlReplicationLag([{ File: 'bin.1', Position: 4 }])).toThrow(
      'no replication status: there is no column Replica_IO_Running or Slave_IO_Running',
    );
    expect(() => mysqlReplicationLag({ affectedRows: 0 })).toThrow(
      'no rows of a replication status: an object of Object',
    );
  });
});

describe('redisReplicationLag', () => {
  const info = (...lines: string[]) => ['# Replication', ...lines, ''].join('\r\n');

  it.each([
    [info('role:master', 'connected_slaves:1'), 0],
    [info('role:slave', 'master_link_status:up', 'master_last_io_seconds_ago:7'), 7],
    [info('role:slave', 'master_link_status:down', 'master_link_down_since_seconds:70'), 70],
    [info('role:slave', 'master_link_status:down', 'master_link_down_since_seconds:-1'), null],
    [info('role:slave', 'master_link_status:down', 'master_last_io_seconds_ago:-1'), null],
  ])('%j is %s', (text, seconds) => {
    expect(redisReplicationLag(text)).toBe(seconds);
  });

  it.each([[''], [undefined], [info('role:sentinel')], [{ role: 'master' }]])(
    '%j is no information about replication',
    (text) => {
      expect(() => redisReplicationLag(text)).toThrow(/no text of INFO replication/);
    },
  );
});
