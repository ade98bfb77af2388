import { describe, expect, it } from 'vitest';
import { type SqliteLike, type SqliteQueryOptions, sqliteQuery } from '../../src/checks/sqlite.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

function setup(get: (sql: string) => unknown, options: SqliteQueryOptions = {}) {
  const prepared: string[] = [];
  const database: SqliteLike = {
    prepare: (sql) => {
      prepared.push(sql);
      return { get: () => get(sql) };
    },
  };
  return { prepared, check: harness(sqliteQuery(database, options), createManualClock()) };
}

describe('sqliteQuery', () => {
  it('prepares its statement once, with the first run, and looks at no integrity', async () => {
    const { check, prepared } = setup(() => undefined);
    expect(prepared).toEqual([]);
    for (const run of [1, 2, 3]) expect((await check.run()).status, `run ${run}`).toBe('pass');
    expect(prepared).toEqual(['SELECT 1 FROM sqlite_master LIMIT 1']);
  });

  it.each([
    ['quick', 'PRAGMA quick_check(1)', 'quick_check'],
    ['full', 'PRAGMA integrity_check(1)', 'integrity_check'],
  ] as const)('integrity %s asks %s', async (integrity, pragma, column) => {
    let finding = 'ok';
    const { check, prepared } = setup(() => ({ [column]: finding }), { integrity });
    expect((await check.run()).status).toBe('pass');
    expect(prepared).toContain(pragma);
    finding = 'row 7 missing from index orders_by_day';
    expect(await check.run()).toMatchObject({
      status: 'fail',
      code: 'database_corrupt',
      output: finding,
    });
  });

  it('no answer about integrity is no pass', async () => {
    const { check } = setup(() => undefined, { integrity: 'quick' });
    expect((await check.run()).code).toBe('database_corrupt');
  });

  it('fails with the text of the binding, redacted', async () => {
    const { check } = setup(() => {
      throw new Error("attempt with key='hunter2': SQLITE_BUSY: database is locked");
    });
    const outcome = await check.run();
    expect(outcome.output).toContain('SQLITE_BUSY');
    expect(outcome.status).toBe('fail');
  });

  it('names the bad option', () => {
    expect(() => sqliteQuery({} as SqliteLike)).toThrow(/sqliteQuery.database must be a SQLite/);
    const wrong = (options: SqliteQueryOptions) => () => setup(() => 1, options);
    expect(wrong({ query: '' })).toThrow(/sqliteQuery.query must be a text/);
    expect(wrong({ integrity: 'on' as 'off' })).toThrow(/sqliteQuery.integrity must be one of/);
  });
});
