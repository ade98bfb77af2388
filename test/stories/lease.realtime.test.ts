import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileLocker } from '../../src/lease/file-lock.js';
import { postgresGuard } from '../../src/lease-guards.js';
import { prepareCut } from '../support/lease-cuts.js';
import { REGISTRIES, type Registry } from '../support/lease-registries.js';
import type { RegistryAddress } from '../support/lease-stores.js';
import { type Program, bundleProgram, eventually, startProgram } from '../support/program.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';

/** Few in every run of the suite; fifty per registry were run by hand, and may be again. */
const RUNS = Number(process.env['HALE_LEASE_RUNS'] ?? 1);
const ONLY = process.env['HALE_LEASE_REGISTRY'];
/** Before the registry lets go of a lease: room for a busy machine. */
const MARGIN_MS = 250;
const WITHIN_MS = 20_000;

let resource: PostgresServer;
let looker: pg.Pool;
let program: { file: string; remove: () => void };
let names = 0;

beforeAll(async () => {
  resource = await startPostgres();
  looker = new pg.Pool({ connectionString: resource.url, max: 4 });
  await looker.query(postgresGuard({ table: 'fences' }).createTable);
  for (const table of ['trusted', 'guarded'])
    await looker.query(`CREATE TABLE ${table} (id bigserial, name text, token bigint)`);
  program = await bundleProgram('lease-holder');
});

afterAll(async () => {
  await looker?.end();
  await resource?.dispose();
  program?.remove();
});

const tokenOf = async (holder: Program): Promise<bigint> =>
  BigInt(String((await holder.message('held', WITHIN_MS))['token']));

/** Exited by itself with an error, or was killed in time; its drain may be as long as its time. */
const ended = async (holder: Program): Promise<boolean> =>
  (await holder.exit()) === 1 || holder.child.signalCode === 'SIGKILL';

/** Writes of the old token after the first of the new one. */
async function overlaps(table: string, name: string, before: bigint, after: bigint) {
  const { rows } = await looker.query<{ count: string }>(
    `SELECT count(*) FROM ${table} WHERE name = $1 AND token = $2
     AND id > (SELECT min(id) FROM ${table} WHERE name = $1 AND token = $3)`,
    [name, String(before), String(after)],
  );
  return Number(rows[0]?.count);
}

async function writes(table: string, name: string, token: bigint): Promise<number> {
  const { rows } = await looker.query<{ count: string }>(
    `SELECT count(*) FROM ${table} WHERE name = $1 AND token = $2`,
    [name, String(token)],
  );
  return Number(rows[0]?.count);
}

const someWrites = (table: string, name: string, token: bigint, by?: Program) =>
  eventually(
    'writes',
    async () => ((await writes(table, name, token)) > 5 ? true : undefined),
    WITHIN_MS,
    by?.stderr,
  );

interface Pair {
  readonly name: string;
  readonly holder: Program;
  readonly token: bigint;
  readonly standby: Program;
}

interface Stage {
  readonly registry: RegistryAddress;
  readonly ttlMs: number;
  /** The holder's way to the registry. @defaultValue as the standby's */
  readonly holderRegistry?: RegistryAddress;
  readonly blind?: boolean;
}

/** A holder that writes, and a standby that waits; both are stopped at the end. */
async function onStage(
  { registry, ttlMs, holderRegistry = registry, blind = false }: Stage,
  play: (pair: Pair) => Promise<void>,
): Promise<void> {
  const name = `lease ${(names += 1)}`;
  const settings = { resource: resource.url, name, ttlMs, marginMs: MARGIN_MS, blind };
  const running: Program[] = [];
  const start = (address: RegistryAddress): Program => {
    const args = [JSON.stringify({ ...settings, registry: address })];
    const started = startProgram(program.file, { args });
    running.push(started);
    return started;
  };
  try {
    const holder = start(holderRegistry);
    const token = await tokenOf(holder);
    const standby = start(registry);
    await standby.message('started', WITHIN_MS);
    await someWrites('guarded', name, token, holder);
    await play({ name, holder, token, standby });
  } finally {
    await Promise.all(running.map((each) => each.stop()));
  }
}

const chosen = REGISTRIES.filter(({ name }) => ONLY === undefined || ONLY === name);

describe.each(chosen)('a lease in $name', ({ ttlMs, cuts, start }) => {
  const runs = Array.from({ length: RUNS }, (_, run) => run);
  const ways = runs.flatMap((run) => cuts(run).map((kind) => [run, kind] as const));
  let server: Registry;

  beforeAll(async () => {
    server = await start();
  });

  afterAll(() => server?.dispose());

  const stage = (): Stage => ({ registry: server.address(), ttlMs });

  it.concurrent.each(ways)(
    'T4, H2, H3: run %i: cut off from it (%s), work stops before another is granted the lease, and the process exits',
    async (_, kind) => {
      const registry = server.address();
      await using reach = await prepareCut(kind, registry);
      await onStage({ registry, ttlMs, holderRegistry: reach.holder }, async (pair) => {
        const { name, holder, token, standby } = pair;
        await reach.begin(holder.pid);
        const exited = ended(holder).finally(() => void reach.end());
        exited.catch(() => {});
        const next = await tokenOf(standby);
        expect(next > token).toBe(true);
        expect(await exited).toBe(true);
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
      });
    },
  );

  it.concurrent.each(runs)(
    'T4, H3, H6: run %i: with a blocked main loop, it is dead before another is granted the lease',
    async () => {
      await onStage(stage(), async ({ name, holder, token, standby }) => {
        holder.send({ blockMs: 60_000 });
        const next = await tokenOf(standby);
        expect(holder.child.signalCode).toBe('SIGKILL');
        expect(next > token).toBe(true);
        await someWrites('trusted', name, next);
        for (const table of ['trusted', 'guarded'])
          expect(await overlaps(table, name, token, next)).toBe(0);
      });
    },
  );

  it.concurrent.each(runs)(
    'T5, H8: run %i: a holder that is frozen past its lease is replaced, writes nothing more, and exits',
    async () => {
      const { registry } = stage();
      await onStage({ registry, ttlMs }, async ({ name, holder, token, standby }) => {
        // At any moment between two renewals, or in one.
        await delay((Math.random() * ttlMs) / 3);
        holder.child.kill('SIGSTOP');
        await stopped(holder);
        const inside = registry.port === 0 && fileLocker(registry.url)?.pid === holder.pid;
        // Some 30 µs of a renewal, and the limit of a file: nobody is granted anything until it goes on or is killed.
        if (inside) await nobodyWithin(standby, 2 * ttlMs);
        else await someWrites('guarded', name, await tokenOf(standby));
        holder.child.kill('SIGCONT');
        expect(await ended(holder)).toBe(true);
        const next = await tokenOf(standby);
        expect(next > token).toBe(true);
        expect(await overlaps('guarded', name, token, next)).toBe(0);
      });
    },
  );
});

/** A signal is not obeyed before it is delivered: a process that waits for its disk is stopped after that. */
function stopped({ pid }: Program): Promise<true> {
  return eventually('stop', () =>
    / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) ? true : undefined,
  );
}

async function nobodyWithin(standby: Program, ms: number): Promise<void> {
  process.stderr.write('frozen in the middle of a renewal: its file stays locked\n');
  await delay(ms);
  expect(standby.messages.filter(({ event }) => event === 'held')).toEqual([]);
}

describe('a holder that neither stops nor asks', () => {
  it('H4, T5: is held off by the guard alone', async () => {
    const { url, port } = resource;
    const registry = { backend: 'postgres', url, port, from: import.meta.url } as const;
    await onStage({ registry, ttlMs: 1500, blind: true }, async (pair) => {
      const { name, holder, token, standby } = pair;
      holder.child.kill('SIGSTOP');
      const next = await tokenOf(standby);
      await someWrites('guarded', name, next);
      holder.child.kill('SIGCONT');
      await holder.message('HALE_FENCED');
      await someWrites('guarded', name, next);
      expect(await overlaps('guarded', name, token, next)).toBe(0);
    });
  });
});
