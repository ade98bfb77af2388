import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { postgresGuard } from '../../src/lease/guards/sql.js';
import { type FaultProxy, createFaultProxy } from '../../src/testing/fault-proxy.js';
import { type Program, bundleProgram, eventually, startProgram } from '../support/program.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';

const TTL_MS = 1000;
/** A few in every run of the suite; fifty were run by hand, and may be again. */
const RUNS = Number(process.env['HALE_LEASE_RUNS'] ?? 4);

let postgres: PostgresServer;
let proxy: FaultProxy;
let resource: pg.Client;
let program: { file: string; remove: () => void };
const running: Program[] = [];
let names = 0;

beforeAll(async () => {
  postgres = await startPostgres();
  proxy = await createFaultProxy({ target: { host: '127.0.0.1', port: postgres.port } });
  resource = new pg.Client({ connectionString: postgres.url });
  await resource.connect();
  await resource.query(postgresGuard({ table: 'fences' }).createTable);
  for (const table of ['trusted', 'guarded'])
    await resource.query(`CREATE TABLE ${table} (id bigserial, name text, token bigint)`);
  program = await bundleProgram('lease-holder');
});

afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
  await proxy.set({ kind: 'ok' });
});

afterAll(async () => {
  await resource?.end();
  await proxy?.close();
  await postgres?.dispose();
  program?.remove();
});

interface Start {
  readonly name: string;
  readonly throughProxy?: boolean;
  readonly blind?: boolean;
}

function start({ name, throughProxy = false, blind = false }: Start): Program {
  const registry = throughProxy
    ? postgres.url.replace(`:${postgres.port}/`, `:${proxy.port}/`)
    : postgres.url;
  const settings = { registry, resource: postgres.url, name, ttlMs: TTL_MS, blind };
  const started = startProgram(program.file, { args: [JSON.stringify(settings)] });
  running.push(started);
  return started;
}

const tokenOf = async (holder: Program): Promise<bigint> =>
  BigInt(String((await holder.message('held'))['token']));

/** Writes of the old token after the first of the new one. */
async function overlaps(table: string, name: string, before: bigint, after: bigint) {
  const { rows } = await resource.query<{ count: string }>(
    `SELECT count(*) FROM ${table} WHERE name = $1 AND token = $2
     AND id > (SELECT min(id) FROM ${table} WHERE name = $1 AND token = $3)`,
    [name, String(before), String(after)],
  );
  return Number(rows[0]?.count);
}

async function writes(table: string, name: string, token: bigint): Promise<number> {
  const { rows } = await resource.query<{ count: string }>(
    `SELECT count(*) FROM ${table} WHERE name = $1 AND token = $2`,
    [name, String(token)],
  );
  return Number(rows[0]?.count);
}

const someWrites = (table: string, name: string, token: bigint) =>
  eventually('writes', async () => ((await writes(table, name, token)) > 5 ? true : undefined));

describe('T4, H2, H3: the network to the registry is cut', () => {
  it.each(Array.from({ length: RUNS }, (_, run) => [run, run % 2 === 0 ? 'hang' : 'cut'] as const))(
    'run %i (%s): work stops before another is granted the lease, and the process exits',
    async (_run, kind) => {
      const name = `cut ${(names += 1)}`;
      const holder = start({ name, throughProxy: true });
      const token = await tokenOf(holder);
      const standby = start({ name });
      await standby.message('started');
      await someWrites('trusted', name, token);
      await proxy.set({ kind });
      const next = await tokenOf(standby);
      expect(next > token).toBe(true);
      expect(await holder.exit()).toBe(1);
      expect(holder.logs()).toContainEqual(
        expect.objectContaining({ event: 'lease_lost', why: 'expired', fence: String(token) }),
      );
      await someWrites('trusted', name, next);
      for (const table of ['trusted', 'guarded'])
        expect(await overlaps(table, name, token, next)).toBe(0);
      // D1: a stop gives the lease back.
      standby.child.kill('SIGTERM');
      expect(await standby.exit()).toBe(0);
      expect(standby.logs()).toContainEqual(expect.objectContaining({ event: 'lease_released' }));
    },
  );
});

describe('T5, H8: a holder that is frozen past its lease and wakes up', () => {
  it.each(Array.from({ length: RUNS }, (_, run) => [run] as const))(
    'run %i: is replaced, writes nothing more, and exits',
    async () => {
      const name = `frozen ${(names += 1)}`;
      const holder = start({ name });
      const token = await tokenOf(holder);
      const standby = start({ name });
      await standby.message('started');
      await someWrites('guarded', name, token);
      holder.child.kill('SIGSTOP');
      const next = await tokenOf(standby);
      await someWrites('guarded', name, next);
      holder.child.kill('SIGCONT');
      expect(await holder.exit()).toBe(1);
      expect(next > token).toBe(true);
      expect(await overlaps('guarded', name, token, next)).toBe(0);
    },
  );

  it('H4: the guard alone holds it off, though it neither stops nor asks', async () => {
    const name = `blind ${(names += 1)}`;
    const holder = start({ name, blind: true });
    const token = await tokenOf(holder);
    const standby = start({ name });
    await standby.message('started');
    await someWrites('guarded', name, token);
    holder.child.kill('SIGSTOP');
    const next = await tokenOf(standby);
    await someWrites('guarded', name, next);
    holder.child.kill('SIGCONT');
    await holder.message('HALE_FENCED');
    await someWrites('guarded', name, next);
    expect(await overlaps('guarded', name, token, next)).toBe(0);
  });
});
