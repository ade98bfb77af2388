import { readFileSync } from 'node:fs';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresJsQuery } from '../../src/checks/postgres-js.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { createFaultProxy } from '../../src/testing/fault-proxy.js';
import { type Certificate, createCertificate } from '../support/certificate.js';
import { itConforms } from '../support/conformance.js';
import { harness } from '../support/run-check.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';
import { findFreePort } from '../support/servers/server-process.js';

let certificate: Certificate;
let server: PostgresServer;
beforeAll(async () => {
  certificate = createCertificate();
  server = await startPostgres({ certificate });
});
afterAll(async () => {
  certificate.remove();
  await server.dispose();
});

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

  it('C7: destroys its connection under TLS, too, which a dead peer cannot delay', async () => {
    const proxy = await createFaultProxy({ target: server.address });
    const user = { username: 'hale', database: 'postgres', password: server.password };
    const place = { host: '127.0.0.1', port: proxy.port };
    const check = postgresJsQuery((own) => postgres({ ...place, ...user, ...own }), {
      tls: { ca: readFileSync(certificate.certFile) },
      query: 'SELECT 1 / (SELECT ssl::int FROM pg_stat_ssl WHERE pid = pg_backend_pid())',
    });
    const started = harness(check, systemClock, 300);
    expect(await started.run()).toMatchObject({ status: 'pass' });
    await proxy.set({ kind: 'hang' });
    expect((await started.run()).status).toBe('fail');
    expect((await started.run()).status).toBe('fail');
    await expect.poll(() => proxy.connections).toBe(0);
    await proxy.set({ kind: 'ok' });
    expect((await started.run()).status).toBe('pass');
    await check.dispose?.();
    await expect.poll(() => proxy.connections).toBe(0);
    await proxy.close();
  });

  it.each([
    ['without', false],
    ['with', { rejectUnauthorized: false }],
  ])('C2: aborted at every stage, %s TLS, it leaves nothing', async (_, tls) => {
    const place = { host: '127.0.0.1', port: server.port };
    const user = { username: 'hale', database: 'postgres', password: server.password };
    const check = postgresJsQuery((own) => postgres({ ...place, ...user, ...own }), { tls });
    const before = server.connections() ?? 0;
    const failures = new Set<string>();
    for (let run = 0; run < 120; run += 1) {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(new Error('aborted')), run % 30);
      // One that is quick enough passes, and its connection is aborted in a later run.
      await Promise.resolve(check.run(controller.signal)).catch((error: Error) =>
        failures.add(error.message),
      );
      clearTimeout(timer);
      if (run % 2 === 1) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await check.dispose?.();
    expect([...failures]).toEqual(['aborted']);
    await expect.poll(() => server.connections()).toBeLessThanOrEqual(before);
  });

  it('under TLS wants a certificate that is trusted, and a server that speaks it', async () => {
    const outcomeOf = async (url: string, tls: boolean) => {
      const check = postgresJsQuery((own) => postgres(url, own), { tls });
      const outcome = await harness(check, systemClock).run();
      await check.dispose?.();
      return outcome.output;
    };
    expect(await outcomeOf(server.url, true)).toMatch(/self-signed certificate/);
    const plain = await startPostgres();
    expect(await outcomeOf(plain.url, true)).toBe('the server speaks no TLS');
    await plain.dispose();
    // Never silently without.
    expect(await outcomeOf(`${server.url}?sslmode=require`, false)).toMatch(/set ssl: false in/);
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
