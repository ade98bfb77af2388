import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/engine/system-clock.js';
import { postgresLease, postgresLeaseTable } from '../../../src/lease/stores/postgres.js';
import type { FaultProxy } from '../../../src/testing/fault-proxy.js';
import { describeLeaseStore } from '../../contract/lease-store-contract.js';
import { proxyOf, serverHarness } from '../../contract/server-harness.js';
import { type PostgresServer, startPostgres } from '../../support/servers/postgres.js';

let server: PostgresServer;
let proxy: FaultProxy;

beforeAll(async () => {
  server = await startPostgres({ maxConnections: 60 });
  proxy = await proxyOf(server);
});

afterAll(async () => {
  await proxy?.close();
  await server?.dispose();
});

const connect = (port: number) => () =>
  new pg.Client({ connectionString: server.url.replace(/:\d+\/postgres$/, `:${port}/postgres`) });

async function query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = connect(server.port)();
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

describeLeaseStore(
  'postgres',
  () =>
    serverHarness({
      server,
      proxy,
      open: (port) => postgresLease(connect(port)),
      forceToken: (name, token) =>
        query('UPDATE hale_leases SET fence = $2 WHERE name = $1', [name, String(token)]).then(
          () => {},
        ),
    }),
  // Its columns take nothing but leases.
  ({ title }) => !title.includes('no lease'),
);

const call = () => ({ clock: systemClock, signal: new AbortController().signal });
const request = (name: string) => ({ name, holder: 'a', ttlMs: 60_000, data: '' });

describe('postgresLease', () => {
  it('commits durably though the session does not', async () => {
    const client = connect(server.port)();
    await client.connect();
    await client.query('SET synchronous_commit = off');
    // A deferred trigger runs at the commit itself, which is when the setting counts.
    await client.query('CREATE TABLE seen (level text)');
    await client.query(`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$`);
    await client.query(`CREATE CONSTRAINT TRIGGER noted AFTER INSERT OR UPDATE ON hale_leases
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note()`);
    const store = postgresLease(() => Object.assign(client, { connect: async () => {} }));
    const granted = await store.acquire(request('durable'), call());
    const token = granted.kind === 'granted' ? granted.token : 0n;
    await store.renew({ ...request('durable'), token }, call());
    expect((await client.query('SELECT level FROM seen')).rows).toEqual([
      { level: 'on' },
      { level: 'on' },
    ]);
    expect((await client.query('SHOW synchronous_commit')).rows).toEqual([
      { synchronous_commit: 'off' },
    ]);
    await client.query('DROP TRIGGER noted ON hale_leases');
    store.close?.();
  });

  it('creates its table when several ask for it at once, and leaves one that exists alone', async () => {
    const table = 'public.other_leases';
    const stores = Array.from({ length: 8 }, () => postgresLease(connect(server.port), { table }));
    const answers = await Promise.all(
      stores.map((store, index) => store.acquire(request(`name ${index}`), call())),
    );
    expect(answers.map(({ kind }) => kind)).toEqual(stores.map(() => 'granted'));
    await query(postgresLeaseTable(table));
    expect(await stores[0]?.list({}, call())).toHaveLength(8);
    for (const store of stores) store.close?.();
  });

  it('refuses a table name that could be more than a name', () => {
    expect(() => postgresLease(connect(1), { table: 'x; DROP TABLE y' })).toThrow(
      /postgresLease.table must be a table name/,
    );
    expect(() => postgresLease('no' as never)).toThrow(/postgresLease.connect must be a function/);
  });
});
