import { PrismaPg } from '@prisma/adapter-pg';
import { drizzle } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import pg from 'pg';
import { PrismaPg as PrismaPg6 } from 'prisma-adapter-pg6';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import { DataSource as DataSource03 } from 'typeorm03';
import { afterAll, beforeAll, describe } from 'vitest';
import { drizzleQuery } from '../../src/checks/drizzle.js';
import { knexQuery } from '../../src/checks/knex.js';
import { prismaQuery } from '../../src/checks/prisma.js';
import { sequelizeQuery } from '../../src/checks/sequelize.js';
import { typeormQuery } from '../../src/checks/typeorm.js';
import type { CaseId, ConformanceOptions } from '../../src/testing/index.js';
import { itConforms } from '../support/conformance.js';
import { getPrismaClientClass as prisma6 } from '../support/prisma/prisma6-client.generated.js';
import { getPrismaClientClass as prisma7 } from '../support/prisma/prisma7-client.generated.js';
import { type MariadbServer, startMariadb } from '../support/servers/mariadb.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';

// Also the driver's timeout for connecting: what a run has given up must not hold the one connection for ever.
const timeoutMs = 300;
const options = { timeoutMs };

interface Address {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

type Subject = ReturnType<ConformanceOptions['createSubject']>;
type Subjects = Record<string, (address: Address) => Subject>;

/** As an application does that starts before its database. */
function keepInitializing(dataSource: DataSource | DataSource03) {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const attempt = () =>
    dataSource.initialize().then(
      () => (isClosed ? dataSource.destroy() : undefined),
      () => {
        if (!isClosed) timer = setTimeout(() => void attempt(), 100);
      },
    );
  const first = attempt();
  return async () => {
    isClosed = true;
    clearTimeout(timer);
    await first;
    if (dataSource.isInitialized) await dataSource.destroy();
  };
}

function typeormSubject(dataSource: DataSource | DataSource03): Subject {
  const close = keepInitializing(dataSource);
  return { check: typeormQuery(dataSource, options), close };
}

const typeormOptions = ({ user: username, ...address }: Address) =>
  ({ type: 'postgres', username, ...address, poolSize: 1, connectTimeoutMS: timeoutMs }) as const;

function sequelizeSubject(
  { host, port, user, password, database }: Address,
  dialect: 'postgres' | 'mysql',
): Subject {
  const connecting =
    dialect === 'postgres' ? { connectionTimeoutMillis: timeoutMs } : { connectTimeout: timeoutMs };
  const sequelize = new Sequelize(database, user, password, {
    host,
    port,
    dialect,
    logging: false,
    pool: { max: 1 },
    dialectOptions: connecting,
  });
  return { check: sequelizeQuery(sequelize, options), close: () => sequelize.close() };
}

function knexSubject(client: 'pg' | 'mysql2', connection: object): Subject {
  const instance = knex({ client, connection });
  return { check: knexQuery(instance, options), close: () => instance.destroy() };
}

const prismaPg = (address: Address) => ({
  ...address,
  max: 1,
  query_timeout: timeoutMs,
  connectionTimeoutMillis: timeoutMs,
});

const POSTGRES: Subjects = {
  'knexQuery with knex 3': (address) =>
    knexSubject('pg', { ...address, connectionTimeoutMillis: timeoutMs }),
  'sequelizeQuery with sequelize 6': (address) => sequelizeSubject(address, 'postgres'),
  'typeormQuery with typeorm 1': (address) =>
    typeormSubject(new DataSource(typeormOptions(address))),
  'drizzleQuery with drizzle-orm 0.45': (address) => {
    const pool = new pg.Pool({ ...address, max: 1, connectionTimeoutMillis: timeoutMs });
    pool.on('error', () => {});
    return { check: drizzleQuery(drizzle(pool), options), close: () => pool.end() };
  },
  'prismaQuery with Prisma 7': (address) => {
    const client = new (prisma7())({ adapter: new PrismaPg(prismaPg(address)) });
    return { check: prismaQuery(client, options), close: () => client.$disconnect() };
  },
};

const OLDER: Subjects = {
  'typeormQuery with typeorm 0.3': (address) =>
    typeormSubject(new DataSource03(typeormOptions(address))),
  'prismaQuery with Prisma 6': (address) => {
    const client = new (prisma6('.'))({ adapter: new PrismaPg6(prismaPg(address)) });
    return { check: prismaQuery(client, options), close: () => client.$disconnect() };
  },
};

const MYSQL: Subjects = {
  'knexQuery with knex 3 and mysql2': (address) =>
    knexSubject('mysql2', { ...address, connectTimeout: timeoutMs }),
  'sequelizeQuery with sequelize 6 and mysql2': (address) => sequelizeSubject(address, 'mysql'),
};

// What a second driver or an older major may do differently: open a connection, and end one.
const ESSENTIAL: readonly CaseId[] = ['healthy', 'leak', 'disposed'];
const SETTINGS = { timeoutMs };

describe('against a real PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.dispose());

  const conforms = (name: string, create: (address: Address) => Subject, only?: typeof ESSENTIAL) =>
    itConforms(
      {
        ...SETTINGS,
        name,
        server: () => server,
        secrets: () => [server.password],
        createSubject: ({ host, port, password }) => {
          const login = { user: 'hale', database: 'postgres', password: password(server.password) };
          return create({ host, port, ...login });
        },
      },
      only,
    );
  for (const [name, create] of Object.entries(POSTGRES)) conforms(name, create);
  for (const [name, create] of Object.entries(OLDER)) conforms(name, create, ESSENTIAL);
});

describe('against a real MariaDB', () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb();
  });
  afterAll(() => server.dispose());

  for (const [name, create] of Object.entries(MYSQL)) {
    itConforms(
      {
        ...SETTINGS,
        name,
        server: () => server,
        secrets: () => [server.password],
        createSubject: ({ host, port, password }) => {
          const login = {
            user: server.user,
            database: 'hale',
            password: password(server.password),
          };
          return create({ host, port, ...login });
        },
      },
      ESSENTIAL,
    );
  }
});
