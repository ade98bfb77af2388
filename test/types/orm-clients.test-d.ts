import { PrismaPg } from '@prisma/adapter-pg';
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3';
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js';
import knex, { type Knex } from 'knex';
import mysql from 'mysql2/promise';
import pg from 'pg';
import postgres from 'postgres';
import { PrismaPg as PrismaPg6 } from 'prisma-adapter-pg6';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import { DataSource as DataSource03 } from 'typeorm03';
import { describe, expectTypeOf, it } from 'vitest';
import { type DrizzleLike, drizzleQuery } from '../../src/checks/drizzle.js';
import { type KnexClientLike, type KnexLike, knexPool, knexQuery } from '../../src/checks/knex.js';
import { mysqlPool } from '../../src/checks/mysql.js';
import { postgresPool } from '../../src/checks/postgres.js';
import { type PrismaClientLike, prismaQuery } from '../../src/checks/prisma.js';
import { type SequelizeLike, sequelizePool, sequelizeQuery } from '../../src/checks/sequelize.js';
import { sqliteQuery } from '../../src/checks/sqlite.js';
import { type TypeormDataSourceLike, typeormPool, typeormQuery } from '../../src/checks/typeorm.js';
import { getPrismaClientClass as prisma6 } from '../support/prisma/prisma6-client.generated.js';
import { getPrismaClientClass as prisma7 } from '../support/prisma/prisma7-client.generated.js';

describe('the object mappers fit without a cast', () => {
  it('knex 3', () => {
    expectTypeOf<Knex>().toExtend<KnexLike>();
    expectTypeOf<Knex<{ id: number }, { id: number }[]>>().toExtend<KnexLike>();
    expectTypeOf<Knex.Client>().toExtend<KnexClientLike>();
    knexPool(knex({ client: 'pg' }));
    knexQuery(knex({ client: 'mysql2' }));
  });

  it('sequelize 6', () => {
    expectTypeOf<Sequelize>().toExtend<SequelizeLike>();
    sequelizePool(new Sequelize('postgres://host/db'));
    sequelizeQuery(new Sequelize('mysql://host/db'), { poolWaitMs: 100 });
  });

  it('typeorm 0.3 and 1', () => {
    expectTypeOf<DataSource>().toExtend<TypeormDataSourceLike>();
    expectTypeOf<DataSource03>().toExtend<TypeormDataSourceLike>();
    typeormPool(new DataSource({ type: 'postgres' }));
    typeormQuery(new DataSource03({ type: 'mysql' }));
  });

  it('drizzle-orm 0.45, and its client the checks of the drivers', () => {
    const onPg = drizzlePg(new pg.Pool());
    expectTypeOf(onPg).toExtend<DrizzleLike>();
    drizzleQuery(onPg);
    postgresPool(onPg.$client);
    const onMysql = drizzleMysql(mysql.createPool('mysql://host/db'));
    drizzleQuery(onMysql);
    mysqlPool(onMysql.$client);
    drizzleQuery(drizzlePostgresJs(postgres('postgres://host/db')));
    drizzleQuery(drizzlePg(new pg.Client(), { schema: {} }));
    sqliteQuery(drizzleSqlite(':memory:').$client);
  });

  it('Prisma 6 and 7', () => {
    const seven = new (prisma7())({ adapter: new PrismaPg(new pg.Pool()) });
    expectTypeOf(seven.$queryRawUnsafe).not.toBeAny();
    expectTypeOf(seven).toExtend<PrismaClientLike>();
    prismaQuery(seven, { pool: new pg.Pool() });
    const six = new (prisma6('.'))({ adapter: new PrismaPg6({}) });
    expectTypeOf(six.$queryRawUnsafe).not.toBeAny();
    expectTypeOf(six).toExtend<PrismaClientLike>();
    prismaQuery(six);
  });
});

describe('what is no client does not fit', () => {
  it('is a type error', () => {
    expectTypeOf<Knex>().not.toExtend<SequelizeLike>();
    expectTypeOf<Sequelize>().not.toExtend<TypeormDataSourceLike>();
    expectTypeOf<DataSource>().not.toExtend<KnexLike>();
    expectTypeOf<pg.Pool>().not.toExtend<PrismaClientLike>();
    // @ts-expect-error a database for SQLite has a client of its own check
    drizzleQuery(drizzleSqlite(':memory:'));
    // @ts-expect-error its own connection is not the pool's, so there is nothing to wait for
    knexQuery(knex({ client: 'pg' }), { poolWaitMs: 100 });
  });
});
