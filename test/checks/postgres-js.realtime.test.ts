import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresJsQuery } from '../../src/checks/postgres-js.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { itConforms } from '../support/conformance.js';
import { harness } from '../support/run-check.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';
import { findFreePort } from '../support/servers/server-process.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.dispose());

describe('postgresJsQuery with postgres.js against a real PostgreSQL', () => {
  itConforms({
    name: 'postgresJsQuery',
    server: () => server,
    secrets: () => [server.password],
    timeoutMs: 200,
    createSubject: ({ host, port, password }) => {
      const settings = { host, port, username: 'hale', database: 'postgres' };
      return postgresJsQuery((own) =>
        postgres({ ...settings, password: password(server.password), ...own }),
      );
    },
  });

  it('fails with the text of the server', async () => {
    const check = postgresJsQuery((own) => postgres(server.url, own), {
      query: 'SELECT * FROM no',
    });
    const outcome = await harness(check, systemClock).run();
    expect(outcome.output).toContain('relation "no" does not exist');
    await check.dispose?.();
  });

  it('tries the next of several hosts in the next run', async () => {
    const { port, password } = server;
    const hosts = `postgres://127.0.0.1:${await findFreePort()},127.0.0.1:${port}/postgres`;
    const user = { username: 'hale', password };
    const check = postgresJsQuery((own) => postgres(hosts, { ...user, ...own }));
    const started = harness(check, systemClock, 500);
    const statuses = [(await started.run()).status, (await started.run()).status];
    expect(statuses).toContain('pass');
    await check.dispose?.();
  });

  it('works over a Unix socket', async () => {
    const sql = postgres(server.url, { max: 1 });
    const [row] = await sql`SHOW unix_socket_directories`;
    await sql.end();
    const { password, port } = server;
    const path = `${row?.unix_socket_directories}/.s.PGSQL.${port}`;
    const user = { username: 'hale', database: 'postgres', password };
    const check = postgresJsQuery((own) => postgres({ path, ...user, ...own }));
    expect((await harness(check, systemClock).run()).status).toBe('pass');
    await check.dispose?.();
  });
});
