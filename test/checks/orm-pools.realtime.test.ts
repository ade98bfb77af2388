import { PrismaPg } from '@prisma/adapter-pg';
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2';
import { drizzle } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import { DataSource as DataSource03 } from 'typeorm03';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { drizzleQuery } from '../../src/checks/drizzle.js';
import { knexPool, knexQuery } from '../../src/checks/knex.js';
import { mysqlPool } from '../../src/checks/mysql.js';
import { postgresPool } from '../../src/checks/postgres.js';
import { prismaQuery } from '../../src/checks/prisma.js';
import { sequelizePool, sequelizeQuery } from '../../src/checks/sequelize.js';
import { typeormPool, typeormQuery } from '../../src/checks/typeorm.js';
import type { Check } from '../../src/core/check.js';
import type { Outcome } from '../../src/core/outcome.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { getPrismaClientClass as prisma7 } from '../support/prisma/prisma7-client.generated.js';
import { type CheckHarness, harness } from '../support/run-check.js';
import { type MariadbServer, startMariadb } from '../support/servers/mariadb.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';

const MAX = 2;
// Longer than a busy machine holds the event loop, shorter than the loops below.
const limits = { noReturnFailMs: 700 };
const waiting = { ...limits, timeoutMs: 1_000, poolWaitMs: 50 };

/** An application's object mapper with a pool of two connections, and both checks of it. */
interface Mapper {
  sleep(seconds: number): Promise<unknown>;
  shallow: Check;
  deep: Check;
  close(): unknown;
}

let postgres: PostgresServer;
let mariadb: MariadbServer;
beforeAll(async () => {
  [postgres, mariadb] = await Promise.all([startPostgres(), startMariadb()]);
  // Prisma's first statement compiles its WebAssembly and holds the event loop meanwhile.
  const client = new (prisma7())({ adapter: new PrismaPg(postgres.url) });
  await client.$queryRawUnsafe('SELECT 1');
  await client.$disconnect();
});
afterAll(async () => {
  await postgres.dispose();
  await mariadb.dispose();
});

const sleepPg = (seconds: number) => `SELECT 1 FROM pg_sleep(${seconds})`;
const sleepMysql = (seconds: number) => `SELECT SLEEP(${seconds})`;
const mariadbUrl = () => mariadb.url.replace(/^mariadb:/, 'mysql:');

async function typeormMapper(dataSource: DataSource | DataSource03, sql: typeof sleepPg) {
  await dataSource.initialize();
  return {
    sleep: (seconds: number) => dataSource.query(sql(seconds)),
    shallow: typeormPool(dataSource, limits),
    deep: typeormQuery(dataSource, waiting),
    close: () => dataSource.destroy(),
  };
}

function sequelizeMapper(url: string, sql: typeof sleepPg): Mapper {
  const sequelize = new Sequelize(url, { logging: false, pool: { max: MAX } });
  return {
    sleep: (seconds) => sequelize.query(sql(seconds)),
    shallow: sequelizePool(sequelize, limits),
    deep: sequelizeQuery(sequelize, waiting),
    close: () => sequelize.close(),
  };
}

const MAPPERS: Record<string, () => Mapper | Promise<Mapper>> = {
  'sequelize 6 on pg': () => sequelizeMapper(postgres.url, sleepPg),
  'sequelize 6 on mysql2': () => sequelizeMapper(mariadbUrl(), sleepMysql),
  'typeorm 1 on pg': () => {
    const options = { type: 'postgres', url: postgres.url, poolSize: MAX } as const;
    return typeormMapper(new DataSource(options), sleepPg);
  },
  'typeorm 0.3 on pg': () => {
    const options = { type: 'postgres', url: postgres.url, poolSize: MAX } as const;
    return typeormMapper(new DataSource03(options), sleepPg);
  },
  'typeorm 1 on mysql2': () => {
    const options = { type: 'mysql', url: mariadbUrl(), poolSize: MAX } as const;
    return typeormMapper(new DataSource(options), sleepMysql);
  },
  'drizzle-orm on pg': () => {
    const db = drizzle(new pg.Pool({ connectionString: postgres.url, max: MAX }));
    return {
      sleep: async (seconds) => db.execute(sleepPg(seconds)),
      shallow: postgresPool(db.$client, limits),
      deep: drizzleQuery(db, waiting),
      close: () => db.$client.end(),
    };
  },
  'drizzle-orm on mysql2': () => {
    const db = drizzleMysql(mysql.createPool({ uri: mariadbUrl(), connectionLimit: MAX }));
    return {
      sleep: async (seconds) => db.execute(sleepMysql(seconds)),
      shallow: mysqlPool(db.$client, limits),
      deep: drizzleQuery(db, waiting),
      close: () => db.$client.end(),
    };
  },
  'Prisma 7 on pg': () => {
    const pool = new pg.Pool({ connectionString: postgres.url, max: MAX });
    const client = new (prisma7())({ adapter: new PrismaPg(pool) });
    return {
      sleep: async (seconds) => client.$queryRawUnsafe(sleepPg(seconds)),
      shallow: postgresPool(pool, limits),
      deep: prismaQuery(client, { ...waiting, pool }),
      close: async () => {
        await client.$disconnect();
        await pool.end();
      },
    };
  },
};

const started = (check: Check): CheckHarness =>
  harness(check, systemClock, check.timeoutMs ?? 1_000);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const said = ({ status, code }: Outcome) => (code === undefined ? status : `${status} ${code}`);

/** Runs `look` again and again while six loops keep both connections busy, with four waiting all the time. */
async function whileBusy(query: () => Promise<unknown>, look: () => Promise<unknown>) {
  const endAt = performance.now() + 1_200;
  const loop = async () => {
    while (performance.now() < endAt) await query();
  };
  const loops = Promise.all(Array.from({ length: 6 }, loop));
  await pause(10);
  while (performance.now() < endAt) {
    await look();
    await pause(10);
  }
  await loops;
}

const passes = (check: CheckHarness) =>
  vi.waitFor(async () => expect(said(await check.run())).toBe('pass'), { timeout: 5_000 });

const isExhausted = (check: CheckHarness) =>
  vi.waitFor(async () => expect(said(await check.run())).toBe('fail pool_exhausted'), {
    timeout: 3_000,
  });

describe('with every connection taken', () => {
  it.concurrent.each(Object.entries(MAPPERS))(
    'C7, C8: %s: warns while connections come back, fails when none does, recovers, leaves nothing in the queue',
    async (_, create) => {
      const mapper = await create();
      const [shallow, deep] = [started(mapper.shallow), started(mapper.deep)];
      try {
        await Promise.all([mapper.sleep(0.02), mapper.sleep(0.02)]);
        await passes(shallow);
        await passes(deep);

        const seen = { shallow: new Set<string>(), deep: new Set<string>() };
        await whileBusy(
          () => mapper.sleep(0.1),
          async () => {
            seen.shallow.add(said(await shallow.run()));
            seen.deep.add(said(await deep.run()));
          },
        );
        expect([...seen.shallow]).toEqual(['warn pool_busy']);
        expect([...seen.deep]).toContain('warn pool_busy');
        expect([...seen.deep].filter((each) => each.startsWith('fail'))).toEqual([]);
        await passes(shallow);
        await passes(deep);

        const queries = [mapper.sleep(2), mapper.sleep(2), mapper.sleep(0)];
        await pause(10);
        expect(said(await deep.run())).toBe('warn pool_busy');
        expect(said(await shallow.run())).toBe('warn pool_busy');
        // The one query that waits, and one request of the check, however often it runs.
        for (let run = 0; run < 3; run += 1) await deep.run();
        expect(await shallow.run()).toMatchObject({ observedValue: { waiting: 2 } });
        await isExhausted(deep);
        await isExhausted(shallow);
        await Promise.all(queries);
        await passes(shallow);
        await passes(deep);
        expect(await shallow.run()).toMatchObject({ observedValue: { used: 0, waiting: 0 } });
      } finally {
        await shallow.dispose();
        await deep.dispose();
        await mapper.close();
      }
    },
  );

  it.concurrent.each([
    ['pg', () => postgres.url, sleepPg],
    ['mysql2', mariadbUrl, sleepMysql],
  ] as const)(
    'C7, C8: knex 3 on %s: the pool warns, then fails; the server is asked outside it',
    async (client, url, sql) => {
      const instance = knex({ client, connection: url(), pool: { min: 0, max: MAX } });
      const [pool, query] = [started(knexPool(instance, limits)), started(knexQuery(instance))];
      const sleep = async (seconds: number) => instance.raw(sql(seconds));
      try {
        await Promise.all([sleep(0.02), sleep(0.02)]);
        await passes(pool);
        await passes(query);

        const seen = { pool: new Set<string>(), query: new Set<string>() };
        await whileBusy(
          () => sleep(0.1),
          async () => {
            seen.pool.add(said(await pool.run()));
            seen.query.add(said(await query.run()));
          },
        );
        expect([...seen.pool]).toEqual(['warn pool_busy']);
        expect([...seen.query]).toEqual(['pass']);

        const held = [sleep(2), sleep(2), sleep(0)];
        await pause(10);
        expect(said(await pool.run())).toBe('warn pool_busy');
        await isExhausted(pool);
        expect(said(await query.run())).toBe('pass');
        await Promise.all(held);
        await passes(pool);
      } finally {
        await query.dispose();
        await instance.destroy();
      }
      expect(said(await pool.run())).toBe('fail pool_ended');
      await pool.dispose();
    },
  );

  it.concurrent('C8: a pool that gives up waiting before the check does is busy, not broken', async () => {
    const [connectionString, max] = [postgres.url, 1];
    const pool = new pg.Pool({ connectionString, max, connectionTimeoutMillis: 200 });
    const dataSource = new DataSource({
      type: 'postgres',
      url: connectionString,
      poolSize: max,
      connectTimeoutMS: 200,
    });
    const sequelize = new Sequelize(connectionString, {
      logging: false,
      pool: { max, acquire: 200 },
    });
    const prisma = new (prisma7())({ adapter: new PrismaPg(pool) });
    const patient = { timeoutMs: 2_000, poolWaitMs: 1_500 };
    await vi.waitFor(() => dataSource.initialize(), { timeout: 5_000 });
    const checks = {
      drizzle: started(drizzleQuery(drizzle(pool), patient)),
      prisma: started(prismaQuery(prisma, { ...patient, pool })),
      typeorm: started(typeormQuery(dataSource, patient)),
      sequelize: started(sequelizeQuery(sequelize, patient)),
    };
    try {
      for (const check of Object.values(checks)) await passes(check);
      const sleep = sleepPg(2);
      const held = [pool.query(sleep), dataSource.query(sleep), sequelize.query(sleep)];
      await pause(10);
      for (const [name, check] of Object.entries(checks)) {
        expect([name, said(await check.run())]).toEqual([name, 'warn pool_busy']);
      }
      await Promise.all(held);
    } finally {
      for (const check of Object.values(checks)) await check.dispose();
      await Promise.all([prisma.$disconnect(), dataSource.destroy(), sequelize.close()]);
      await pool.end();
    }
  });
});
