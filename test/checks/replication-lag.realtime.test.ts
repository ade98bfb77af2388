import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  MYSQL_REPLICATION_STATUS,
  POSTGRES_REPLICATION_LAG,
  mysqlReplicationLag,
  replicationLag,
} from '../../src/checks/replication-lag.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { harness } from '../support/run-check.js';
import { type MariadbServer, startMariadb } from '../support/servers/mariadb.js';
import { startPostgres } from '../support/servers/postgres.js';

describe('replicationLag with the statement for PostgreSQL', () => {
  it('a real primary has no lag', async () => {
    const server = await startPostgres();
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => {});
    try {
      await client.connect();
      const read = async () => {
        const { rows } = await client.query<{ seconds: number }>(POSTGRES_REPLICATION_LAG);
        return rows[0]?.seconds;
      };
      expect(await harness(replicationLag(read), systemClock).run()).toMatchObject({
        status: 'pass',
        observedValue: 0,
      });
    } finally {
      await client.end().catch(() => {});
      await server.dispose();
    }
  });
});

describe('replicationLag with the statement for MySQL on a real pair of MariaDB', () => {
  let primary: MariadbServer;
  let replica: MariadbServer;
  let onPrimary: mysql.Connection;
  let onReplica: mysql.Connection;

  beforeAll(async () => {
    [primary, replica] = await Promise.all([
      startMariadb({ 'server-id': 1, 'log-bin': 'bin' }),
      startMariadb({ 'server-id': 2, 'read-only': 1, 'slave-net-timeout': 2 }),
    ]);
    onPrimary = await mysql.createConnection(primary.url);
    onReplica = await mysql.createConnection(replica.url);
    await onPrimary.query('CREATE TABLE rows_written (n INT PRIMARY KEY)');
    const source = `MASTER_HOST='127.0.0.1', MASTER_PORT=${primary.port}, MASTER_USER='${primary.user}'`;
    await onReplica.query(
      `CHANGE MASTER TO ${source}, MASTER_PASSWORD='${primary.password}', MASTER_CONNECT_RETRY=1`,
    );
    // What created the user is in the log of the primary, too.
    await onReplica.query('DROP DATABASE hale');
    await onReplica.query(`DROP USER '${replica.user}'@'%'`);
    await onReplica.query('START REPLICA');
  });

  afterAll(async () => {
    onPrimary?.destroy();
    onReplica?.destroy();
    await Promise.all([primary?.dispose(), replica?.dispose()]);
  });

  const check = (connection: () => mysql.Connection) =>
    harness(
      replicationLag(
        async () => {
          const [rows] = await connection().query(MYSQL_REPLICATION_STATUS);
          return mysqlReplicationLag(rows);
        },
        { warnAboveMs: 500 },
      ),
      systemClock,
    );

  it('tells a primary, a replica that follows, one behind, one stopped, and one whose primary is gone', async () => {
    expect(await check(() => onPrimary).run()).toMatchObject({ status: 'pass', observedValue: 0 });
    const lag = check(() => onReplica);
    await vi.waitFor(async () => expect(await lag.run()).toMatchObject({ status: 'pass' }), 10_000);

    await onReplica.query('FLUSH TABLES WITH READ LOCK');
    await onPrimary.query('INSERT INTO rows_written VALUES (1)');
    await vi.waitFor(
      async () => expect(await lag.run()).toMatchObject({ status: 'warn', code: 'replica_behind' }),
      10_000,
    );
    await onReplica.query('UNLOCK TABLES');
    await vi.waitFor(async () => expect((await lag.run()).status).toBe('pass'), 10_000);

    await onReplica.query('STOP REPLICA SQL_THREAD');
    expect(await lag.run()).toMatchObject({ status: 'fail', code: 'lag_unknown' });
    await onReplica.query('START REPLICA');
    await vi.waitFor(async () => expect((await lag.run()).status).toBe('pass'), 10_000);

    await primary.stop();
    await vi.waitFor(
      async () => expect(await lag.run()).toMatchObject({ status: 'fail', code: 'lag_unknown' }),
      10_000,
    );
    await primary.restart();
    await vi.waitFor(async () => expect((await lag.run()).status).toBe('pass'), 10_000);
  });
});
