import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { postgresQuery } from '../../src/checks/postgres.js';
import { itConforms } from '../support/conformance.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.dispose());

describe('postgresQuery with pg against a real PostgreSQL', () => {
  itConforms({
    name: 'postgresQuery',
    server: () => server,
    secrets: () => [server.password],
    createSubject: ({ host, port, password }) => {
      const config = { host, port, user: 'hale', database: 'postgres' };
      return postgresQuery(() => new pg.Client({ ...config, password: password(server.password) }));
    },
  });
});
