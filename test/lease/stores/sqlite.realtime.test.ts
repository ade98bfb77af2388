import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Libsql from 'libsql';
import wasm from 'node-sqlite3-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/engine/system-clock.js';
import { thisMachine } from '../../../src/lease/machine.js';
import { type SqliteLeaseHandle, sqliteLease } from '../../../src/lease/stores/sqlite.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';
import type { StoreHarness } from '../../contract/lease-store-bench.js';
import { describeLeaseStore } from '../../contract/lease-store-contract.js';
import { type Program, bundleProgram, startProgram } from '../../support/program.js';

interface Handle extends SqliteLeaseHandle {
  close(): unknown;
}

let folder: string;
let file: string;
const handles: Handle[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hale-lease-'));
  file = path.join(folder, 'leases.db');
});

afterEach(() => {
  for (const handle of handles.splice(0)) handle.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(create: (file: string) => Handle): Handle {
  const handle = create(file);
  handles.push(handle);
  return handle;
}

const native = (name: string): Handle => new Libsql(name) as unknown as Handle;
const compiled = (name: string): Handle => new wasm.Database(name) as unknown as Handle;

/** The real file on a clock that does not wait: the machine's monotonic clock is the registry's. */
function harness(create: (file: string) => Handle, readable: boolean): StoreHarness {
  const clock = createManualClock();
  let blocker: Handle | undefined;
  return {
    open: () => sqliteLease(open(create), { busyTimeoutMs: 20 }),
    clock,
    wait: (ms) => clock.advance(ms),
    ttlMs: 1000,
    lateMs: 10,
    timeoutMs: 500,
    ownClock: false,
    restart: async () => {
      for (const handle of handles.splice(0)) handle.close();
    },
    faults: [
      {
        name: 'taken away',
        begin: async () => renameSync(file, `${file}.away`),
        end: async () => renameSync(`${file}.away`, file),
      },
      {
        name: 'locked by another process',
        readable,
        begin: async () => {
          blocker = open(create);
          blocker.exec('BEGIN EXCLUSIVE');
        },
        end: async () => void blocker?.exec('ROLLBACK'),
      },
    ],
    plantForeign: async (name) => {
      const { bootId } = thisMachine();
      open(create).exec(`INSERT INTO hale_leases
        VALUES ('${name}', 'secret', 'secret', 'secret', 1e12, '${bootId}', 1, 'secret')`);
    },
    forceToken: async (name, token) =>
      void open(create).exec(`UPDATE hale_leases SET fence = ${token} WHERE name = '${name}'`),
  };
}

describeLeaseStore('sqlite, as better-sqlite3', () => harness(native, true));
describeLeaseStore(
  'sqlite, as node-sqlite3-wasm',
  () => harness(compiled, false),
  ({ title }) =>
    // Each statement of it takes and leaves a lock folder.
    !/cycles/.test(title),
);

function synchronous(handle: Handle): unknown {
  const sql = 'SELECT synchronous FROM pragma_synchronous WHERE ?1 IS NOT NULL';
  const [row] = handle.prepare(sql).all('') as { synchronous: unknown }[];
  return row?.synchronous;
}

/** As on a system that does not tell its boot. */
function bootless(handle: Handle): SqliteLeaseHandle {
  const forget = (value: string): string => JSON.stringify({ ...JSON.parse(value), boot: '' });
  return {
    exec: (sql) => handle.exec(sql),
    prepare(sql) {
      const statement = handle.prepare(sql);
      return { all: (value) => statement.all(value[0] === '{' ? forget(value) : value) };
    },
  };
}

const call = (clock = systemClock) => ({ clock, signal: new AbortController().signal });
const request = { name: 'orders', holder: 'a', ttlMs: 60_000, data: '' };

describe('sqliteLease', () => {
  it('H5: processes that share a file are granted each token once, one at a time', async () => {
    const program = await bundleProgram('sqlite-lease');
    const here = fileURLToPath(import.meta.url);
    const running: Program[] = [];
    try {
      const args = [here, file, '50'];
      for (let index = 0; index < 4; index += 1) running.push(startProgram(program.file, { args }));
      const told = await Promise.all(running.map((each) => each.message('tokens', 60_000)));
      const lines = told.flatMap(({ tokens }) => tokens as string[]);
      expect(lines.every((line) => line.endsWith(' renewed released'))).toBe(true);
      const tokens = lines.map((line) => Number(line.split(' ')[0])).toSorted((x, y) => x - y);
      expect(tokens).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    } finally {
      for (const each of running) await each.stop();
      program.remove();
    }
  });

  it('a reboot frees every lease, and the next token is higher', async () => {
    const before = sqliteLease(open(native), { bootId: 'one' });
    expect(await before.acquire(request, call())).toMatchObject({ token: 1n });
    const after = sqliteLease(open(native), { bootId: 'two' });
    expect(await after.list({}, call())).toEqual([]);
    const granted = await after.acquire({ ...request, holder: 'b' }, call());
    expect(granted).toMatchObject({ kind: 'granted', token: 2n });
    expect((await before.renew({ ...request, token: 1n }, call())).kind).toBe('lost');
  });

  it('where nobody knows of boots, a time that cannot have come yet is of another one', async () => {
    const clock = createManualClock({ now: 1_000_000 });
    const rebooted = createManualClock({ now: 5000 });
    const store = sqliteLease(open(native));
    // The row of a system that does not tell its boot.
    await store.acquire(request, call(clock));
    open(native).exec(`UPDATE hale_leases SET boot = ''`);
    const granted = await store.acquire({ ...request, holder: 'b' }, call(rebooted));
    expect(granted).toMatchObject({ kind: 'granted', token: 2n });
  });

  it('where no system tells its boot, a lease of before the reboot is free too', async () => {
    const clock = createManualClock({ now: 1_000_000 });
    const rebooted = createManualClock({ now: 5000 });
    const store = sqliteLease(bootless(open(native)));
    await store.acquire(request, call(clock));
    expect(await store.list({}, call(clock))).toHaveLength(1);
    expect(await store.list({}, call(rebooted))).toEqual([]);
    const granted = await store.acquire({ ...request, holder: 'b' }, call(rebooted));
    expect(granted).toMatchObject({ kind: 'granted', token: 2n });
  });

  it.each([
    ['a write-ahead log', native, 1],
    // The file would be at risk.
    ['a rollback journal', compiled, 2],
  ])(
    'H4: every grant is on the disk before it is used; with %s',
    async (_, create, whenRenewed) => {
      const handle = open(create);
      handle.exec('PRAGMA synchronous = OFF');
      const store = sqliteLease(handle);
      await store.acquire(request, call());
      expect(synchronous(handle)).toBe(2);
      await store.renew({ ...request, token: 1n }, call());
      expect(synchronous(handle)).toBe(whenRenewed);
    },
  );

  it('H5: whoever waits for a lease does not lock the file, and whoever is locked out says by whom', async () => {
    const holder = sqliteLease(open(native), { busyTimeoutMs: 20 });
    const waiting = sqliteLease(open(native), { busyTimeoutMs: 20 });
    await holder.acquire(request, call());
    const blocker = open(native);
    blocker.exec('BEGIN IMMEDIATE');
    const other = { ...request, holder: 'b' };
    const denied = { kind: 'denied', owner: { holder: 'a', token: 1n } };
    expect(await waiting.acquire(other, call())).toMatchObject(denied);
    const refused = holder.renew({ ...request, token: 1n }, call());
    await expect(refused).rejects.toMatchObject({
      message: 'the SQLite file is locked by this process, through another handle',
      code: 'SQLITE_BUSY',
    });
    blocker.exec('ROLLBACK');
    expect((await holder.renew({ ...request, token: 1n }, call())).kind).toBe('renewed');
  });

  it('H5: a file that is locked at the start gets its write-ahead log as soon as it is free', async () => {
    const blocker = open(native);
    blocker.exec('CREATE TABLE mine (x)');
    const handle = open(native);
    const store = sqliteLease(handle, { busyTimeoutMs: 20 });
    blocker.exec('BEGIN EXCLUSIVE');
    await expect(store.acquire(request, call())).rejects.toThrow('the SQLite file is locked by');
    blocker.exec('COMMIT');
    await store.acquire(request, call());
    await store.renew({ ...request, token: 1n }, call());
    expect(synchronous(handle)).toBe(1);
  });

  it('H5: a file that was replaced while it was open grants nothing', async () => {
    const store = sqliteLease(open(native));
    await store.acquire(request, call());
    renameSync(file, `${file}.away`);
    await sqliteLease(open(native)).list({}, call());
    const renewed = store.renew({ ...request, token: 1n }, call());
    await expect(renewed).rejects.toThrow(/was removed or replaced while it was open/);
  });

  it.each(['-wal', '-shm'])(
    'H5: whoever has a file open whose %s was deleted renews no more: others would be granted its lease',
    async (end) => {
      const store = sqliteLease(open(native));
      await store.acquire(request, call());
      rmSync(file + end);
      const renewed = store.renew({ ...request, token: 1n }, call());
      await expect(renewed).rejects.toThrow(`file${end} was removed or replaced while it was open`);
    },
  );

  it('H5: a first call within a transaction that is rolled back leaves the store able to work', async () => {
    open(native).exec('PRAGMA journal_mode = WAL');
    const handle = open(native);
    const store = sqliteLease(handle);
    handle.exec('BEGIN');
    await expect(store.list({}, call())).rejects.toThrow(/inside a transaction/);
    handle.exec('ROLLBACK');
    expect(await store.acquire(request, call())).toMatchObject({ kind: 'granted', token: 1n });
  });

  it('refuses what is no handle, and options out of range', () => {
    expect(() => sqliteLease({} as never)).toThrow(/sqliteLease.database must be a SQLite handle/);
    const handle = open(native);
    expect(() => sqliteLease(handle, { table: 'a b' })).toThrow(/sqliteLease.table/);
    expect(() => sqliteLease(handle, { busyTimeoutMs: -1 })).toThrow(/sqliteLease.busyTimeoutMs/);
    expect(() => sqliteLease(handle, { bootId: '' })).toThrow(/sqliteLease.bootId/);
  });
});
