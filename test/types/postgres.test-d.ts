import pg from 'pg';
import postgres from 'postgres';
import { describe, expectTypeOf, it } from 'vitest';
import { type PostgresJsLike, postgresJsQuery } from '../../src/checks/postgres-js.js';
import { postgresPool, postgresQuery } from '../../src/checks/postgres.js';
import type { Check } from '../../src/core/check.js';

describe('the clients of PostgreSQL fit without a cast', () => {
  it('postgres 3', () => {
    expectTypeOf<postgres.Sql>().toExtend<PostgresJsLike>();
    postgresJsQuery((own) => postgres('postgres://db/orders', own));
    postgresJsQuery((own) => postgres('postgres://db/orders', { ssl: 'require', ...own }));
    postgresJsQuery((own) => postgres({ host: 'db', port: 5432, ...own }));
  });

  it('pg 8: a check of the server tells a stuck pool from an exhausted one', () => {
    const fresh = () => postgresQuery(() => new pg.Client());
    const stuck = { fresh, onStuck: (reason: string) => void reason };
    expectTypeOf(postgresPool(new pg.Pool(), { stuck })).toEqualTypeOf<Check>();
    // @ts-expect-error a connection is no check
    postgresPool(new pg.Pool(), { stuck: { fresh: () => new pg.Client() } });
  });

  it('a client of pg is no postgres()', () => {
    expectTypeOf<pg.Client>().not.toExtend<PostgresJsLike>();
  });
});
