import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileLocker } from '../../../src/lease/file-lock.js';
import { type Program, bundleProgram, eventually, startProgram } from '../../support/program.js';
import type { FrozenSettings } from '../../support/programs/sqlite-frozen.js';

const TIMES = { ttlMs: 1200, marginMs: 200, retryMs: 200 };
/** One attempt of 100 ms on a busy machine: much less than the file is locked. */
const HANGS_MS = 1500;
const WITHIN_MS = 20_000;

let folder: string;
let program: { file: string; remove: () => void };
let files = 0;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'hale-frozen-'));
  program = await bundleProgram('sqlite-frozen');
});

afterAll(() => {
  program?.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Pair {
  readonly holder: Program;
  readonly token: bigint;
  readonly standby: Program;
  readonly data: string;
}

type Stage = Pick<FrozenSettings, 'freezeIn' | 'blind'> & { readonly oneFile: boolean };

/** Starts a holder that freezes itself in a transaction, and a standby; stops both. */
async function whenFrozen(
  { oneFile, ...stage }: Stage,
  play: (pair: Pair) => Promise<void>,
): Promise<void> {
  const data = path.join(folder, `data-${(files += 1)}.db`);
  const leases = oneFile ? data : path.join(folder, `leases-${files}.db`);
  const database = new Libsql(data);
  database.exec('CREATE TABLE written (id INTEGER PRIMARY KEY, token TEXT)');
  database.close();
  const settings = { from: import.meta.url, leases, data, ...TIMES };
  const start = (more: Partial<FrozenSettings>): Program =>
    startProgram(program.file, { args: [JSON.stringify({ ...settings, ...more })] });
  const running: Program[] = [];
  try {
    const holder = start(stage);
    running.push(holder);
    const token = await tokenOf(holder);
    const standby = start({});
    running.push(standby);
    await eventually('freeze', () => isStopped(holder), WITHIN_MS);
    const locked = stage.freezeIn === 'renewal' ? leases : data;
    expect(fileLocker(locked)).toEqual({ pid: holder.pid, stopped: true });
    await play({ holder, token, standby, data });
  } finally {
    await Promise.all(running.map((each) => each.stop()));
  }
}

const isStopped = ({ pid }: Program): true | undefined =>
  / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) ? true : undefined;

const tokenOf = async (of: Program): Promise<bigint> =>
  BigInt(String((await of.message('held', WITHIN_MS))['token']));

const byWhom = (holder: Program): string =>
  `the SQLite file is locked by process ${holder.pid}, which is stopped`;

/** Nobody is granted it, and the one that wants it goes on asking, says why it cannot have it, and does not hang. */
async function nobodyIsGranted({ holder, standby }: Pair): Promise<void> {
  await delay(2 * TIMES.ttlMs);
  expect(standby.messages.filter(({ event }) => event === 'held')).toEqual([]);
  const failures = (): object[] =>
    standby.logs().filter(({ event }) => event === 'lease_acquire_failed');
  await eventually('attempts', () => (failures().length > 2 ? true : undefined), WITHIN_MS);
  for (const each of failures())
    expect(each).toMatchObject({ output: expect.stringContaining(byWhom(holder)) });
  standby.send({});
  const { longestMs } = await standby.message('longest');
  expect(longestMs).toBeLessThan(HANGS_MS);
}

/** What was written, in its order: the old token, then the new one, and at least one of each. */
function expectInOrder(data: string, { token, next }: { token: bigint; next: bigint }): void {
  const database = new Libsql(data);
  const rows = database.prepare('SELECT token FROM written ORDER BY id').all() as {
    token: string;
  }[];
  database.close();
  const runs = rows.map((row) => BigInt(row.token)).filter((each, i, all) => each !== all[i - 1]);
  expect(runs).toEqual([token, next]);
}

const ENDS = ['SIGKILL', 'SIGCONT'] as const;
const frozen = (['renewal', 'write'] as const).flatMap((freezeIn) =>
  ENDS.map((end) => [freezeIn, end] as const),
);

describe('a holder that is frozen in the middle of a transaction', () => {
  it.concurrent.each(frozen)(
    'T5, H8: of a %s, in one file: nobody is granted its lease until %s ends that, then soon, and no write is late',
    async (freezeIn, signal) => {
      await whenFrozen({ freezeIn, oneFile: true }, async (pair) => {
        const { holder, standby, token, data } = pair;
        await nobodyIsGranted(pair);
        const endedAt = performance.now();
        holder.child.kill(signal);
        const next = await tokenOf(standby);
        expect(performance.now() - endedAt).toBeLessThan(TIMES.retryMs + 1500);
        expect(next > token).toBe(true);
        const code = await holder.exit();
        expect(code === 1 || holder.child.signalCode === 'SIGKILL').toBe(true);
        await standby.message('wrote', WITHIN_MS);
        await standby.stop();
        expectInOrder(data, { token, next });
      });
    },
  );

  it.concurrent.each(ENDS)(
    'T5, H8: of a write, with the lease in another file: it is replaced, and %s lets the next one write',
    async (signal) => {
      await whenFrozen({ freezeIn: 'write', oneFile: false }, async (pair) => {
        const { holder, standby, token, data } = pair;
        const next = await tokenOf(standby);
        expect(next > token).toBe(true);
        const { message } = await standby.message('SQLITE_BUSY');
        expect(message).toContain(byWhom(holder));
        expect(standby.messages.filter(({ event }) => event === 'wrote')).toEqual([]);
        holder.child.kill(signal);
        await standby.message('wrote', WITHIN_MS);
        const code = await holder.exit();
        expect(code === 1 || holder.child.signalCode === 'SIGKILL').toBe(true);
        await standby.stop();
        expectInOrder(data, { token, next });
      });
    },
  );

  it.concurrent('T5, H4: of a renewal: on waking, one that never looks is refused by the guard', async () => {
    await whenFrozen({ freezeIn: 'renewal', blind: true, oneFile: true }, async (pair) => {
      const { holder, standby, token, data } = pair;
      await nobodyIsGranted(pair);
      holder.child.kill('SIGCONT');
      const next = await tokenOf(standby);
      await standby.message('wrote', WITHIN_MS);
      expect(await holder.message('HALE_FENCED', WITHIN_MS)).toBeDefined();
      await Promise.all([holder.stop(), standby.stop()]);
      expectInOrder(data, { token, next });
    });
  });
});
