import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SqliteQueryOptions, sqliteQuery } from '../../src/checks/sqlite.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { harness } from '../support/run-check.js';

let folder: string;
let file: string;
let database: sqlite.Database;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hale-sqlite-'));
  file = path.join(folder, 'orders.db');
  database = new sqlite.Database(file);
  database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, day TEXT)');
  database.exec('CREATE INDEX orders_by_day ON orders (day)');
  database.exec(`WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 500)
    INSERT INTO orders (day) SELECT 'day ' || x FROM n`);
});
afterEach(() => {
  if (database.isOpen) database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** This binding leaves a statement open after `get()`; better-sqlite3 and node:sqlite reset it. */
const handle = () => ({ prepare: (sql: string) => ({ get: () => database.get(sql) }) });
const check = (options: SqliteQueryOptions = {}) =>
  harness(sqliteQuery(handle(), options), systemClock);

/** Overwrites the pages behind the first, which holds the schema. */
function damage(from: number) {
  database.close();
  const bytes = readFileSync(file);
  bytes.fill(0xa5, from);
  writeFileSync(file, bytes);
  database = new sqlite.Database(file);
}

describe('sqliteQuery against a real SQLite', () => {
  it('passes, a thousand times', async () => {
    const sound = check();
    for (let run = 0; run < 1000; run += 1) expect((await sound.run()).status).toBe('pass');
  });

  it.each(['quick', 'full'] as const)('integrity %s passes on a sound file', async (integrity) => {
    expect((await check({ integrity }).run()).status).toBe('pass');
  });

  it('fails once the handle is closed', async () => {
    const closed = check();
    await closed.run();
    database.close();
    expect((await closed.run()).status).toBe('fail');
  });

  it('fails on a file that is no database', async () => {
    damage(0);
    expect((await check().run()).output).toMatch(/not a database/);
  });

  it('fails on damage behind the first page with integrity only', async () => {
    damage(4096);
    expect((await check().run()).status).toBe('pass');
    expect(await check({ integrity: 'quick' }).run()).toMatchObject({ status: 'fail' });
  });

  it('fails while another connection has locked the file, and recovers without help', async () => {
    const locked = check();
    expect((await locked.run()).status).toBe('pass');
    const other = new sqlite.Database(file);
    try {
      other.exec('BEGIN EXCLUSIVE');
      expect((await locked.run()).output).toMatch(/locked/);
      other.exec('ROLLBACK');
      expect((await locked.run()).status).toBe('pass');
    } finally {
      other.close();
    }
  });
});
