import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Libsql from 'libsql';
import wasm from 'node-sqlite3-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/engine/system-clock.js';
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
function harness(create: (file: string) => Handle): StoreHarness {
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
        name: 'locked by another process',
        begin: async () => {
          blocker = open(create);
          blocker.exec('BEGIN EXCLUSIVE');
        },
        end: async () => void blocker?.exec('ROLLBACK'),
      },
    ],
    forceToken: async (name, token) =>
      void open(create).exec(`UPDATE hale_leases SET fence = ${token} WHERE name = '${name}'`),
  };
}

describeLeaseStore('sqlite, as better-sqlite3', () => harness(native));
describeLeaseStore(
  'sqlite, as node-sqlite3-wasm',
  () => harness(compiled),
  ({ title }) =>
    // Each statement of it takes and leaves a lock folder.
    !/cycles/.test(title),
);

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

  it('every grant is on the disk before it is used', async () => {
    const handle = open(native);
    handle.exec('PRAGMA synchronous = OFF');
    await sqliteLease(handle).acquire(request, call());
    const pragma = handle.prepare('PRAGMA synchronous') as unknown as { all(): unknown };
    expect(JSON.stringify(pragma.all())).toContain('2');
  });

  it('refuses what is no handle, and options out of range', () => {
    expect(() => sqliteLease({} as never)).toThrow(/sqliteLease.database must be a SQLite handle/);
    const handle = open(native);
    expect(() => sqliteLease(handle, { table: 'a b' })).toThrow(/sqliteLease.table/);
    expect(() => sqliteLease(handle, { busyTimeoutMs: -1 })).toThrow(/sqliteLease.busyTimeoutMs/);
    expect(() => sqliteLease(handle, { bootId: '' })).toThrow(/sqliteLease.bootId/);
  });
});
