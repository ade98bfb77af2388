import mysql from 'mysql';
import mysql2 from 'mysql2';
import mysql2Promise from 'mysql2/promise';
import { describe, expectTypeOf, it } from 'vitest';
import {
  type MysqlConnectionLike,
  type MysqlPoolLike,
  mysqlPool,
  mysqlQuery,
} from '../../src/checks/mysql.js';
import { mysqlReplicationLag } from '../../src/checks/replication-lag.js';

describe('the clients of the real libraries fit without a cast', () => {
  it('mysql2 3', () => {
    expectTypeOf<mysql2.Pool>().toExtend<MysqlPoolLike>();
    expectTypeOf<mysql2Promise.Pool>().toExtend<MysqlPoolLike>();
    expectTypeOf<mysql2.Connection>().toExtend<MysqlConnectionLike>();
    mysqlPool(mysql2.createPool('mysql://host/db'));
    mysqlPool(mysql2Promise.createPool('mysql://host/db'));
    mysqlQuery(() => mysql2.createConnection('mysql://host/db'));
  });

  it('mysql 2', () => {
    expectTypeOf<mysql.Pool>().toExtend<MysqlPoolLike>();
    expectTypeOf<mysql.Connection>().toExtend<MysqlConnectionLike>();
    mysqlPool(mysql.createPool('mysql://host/db'));
    mysqlQuery(() => mysql.createConnection('mysql://host/db'));
  });

  it('the rows of a replication status', async () => {
    const [rows] = await mysql2Promise.createPool('mysql://host/db').query('SHOW REPLICA STATUS');
    expectTypeOf(mysqlReplicationLag(rows)).toEqualTypeOf<number | null>();
  });
});

describe('what is no client does not fit', () => {
  it('is a type error', () => {
    expectTypeOf<mysql2.Connection>().not.toExtend<() => MysqlConnectionLike>();
    // A connection has neither a limit nor a pool.
    expectTypeOf<mysql.PoolCluster>().not.toExtend<MysqlConnectionLike>();
    expectTypeOf<Promise<mysql2Promise.Connection>>().not.toExtend<MysqlConnectionLike>();
    // @ts-expect-error a promise shows its connection too late to cut it
    mysqlQuery(() => mysql2Promise.createConnection('mysql://host/db'));
  });
});
