import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { drizzleQuery } from '../../src/checks/drizzle.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

const never = () => new Promise<unknown>(() => {});

class FakePgPool extends EventEmitter {
  totalCount = 1;
  idleCount = 1;
  waitingCount = 0;
  log: string[] = [];
  answer: () => Promise<unknown> = async () => [];
  client = Object.assign(new EventEmitter(), {
    query: (text: string) => {
      this.log.push(text);
      return this.answer();
    },
    release: (destroy = false) => void this.log.push(destroy ? 'destroyed' : 'released'),
  });
  connect = async () => this.client;
}

class FakeMysqlPool {
  _allConnections = [];
  _freeConnections = [];
  _connectionQueue = [];
  log: string[] = [];
  answer: () => Promise<unknown> = async () => [];
  getConnection = async () => ({
    query: (text: string) => {
      this.log.push(text);
      return this.answer();
    },
    release: () => void this.log.push('released'),
    destroy: () => void this.log.push('destroyed'),
  });
}

const database = ($client?: unknown) => ({
  $client,
  execute: (query: string): Promise<unknown> => Promise.reject(new Error(`executed ${query}`)),
});

describe('drizzleQuery', () => {
  it('over a pg.Pool: asks on one connection, whose errors it hears while it has it', async () => {
    const pool = new FakePgPool();
    pool.answer = async () => pool.log.push(`${pool.client.listenerCount('error')} listener`);
    const check = harness(drizzleQuery(database(pool)), createManualClock());
    expect((await check.run()).status).toBe('pass');
    expect(pool.log).toEqual(['SELECT 1', '1 listener', 'released']);
    expect(pool.client.listenerCount('error')).toBe(0);
  });

  it.each([
    ['a pg.Pool', new FakePgPool()],
    ['a pool of mysql2', new FakeMysqlPool()],
  ])('C2: over %s: no answer: destroys the connection', async (_, pool) => {
    const clock = createManualClock();
    const check = harness(drizzleQuery(database(pool)), clock);
    pool.answer = never;
    const run = check.run();
    await clock.advance(1_000);
    expect((await run).status).toBe('fail');
    expect(pool.log).toEqual(['SELECT 1', 'destroyed']);
  });

  it('over a pool of mysql2 with callbacks: through its promises', async () => {
    const pool = new FakeMysqlPool();
    const callbacks = {
      _allConnections: [],
      _freeConnections: [],
      _connectionQueue: [],
      getConnection: () => {},
      promise: () => pool,
    };
    const check = harness(drizzleQuery(database(callbacks)), createManualClock());
    expect((await check.run()).status).toBe('pass');
    expect(pool.log).toEqual(['SELECT 1', 'released']);
  });

  it.each([
    ['something else', { unsafe: () => {} }],
    ['nothing that it shows', undefined],
    ['a pool without connect', { totalCount: 1, idleCount: 1, waitingCount: 0 }],
  ])('over %s: through execute', async (_, client) => {
    const check = harness(drizzleQuery(database(client)), createManualClock());
    expect(await check.run()).toMatchObject({ status: 'fail', output: 'executed SELECT 1' });
  });

  it('C7: while a statement through execute is under way no other is sent', async () => {
    const clock = createManualClock();
    let executed = 0;
    const execute = () => {
      executed += 1;
      return never();
    };
    const check = harness(drizzleQuery({ execute }), clock);
    for (let each = 0; each < 3; each += 1) {
      const run = check.run();
      await clock.advance(1_000);
      expect((await run).status).toBe('fail');
    }
    expect(executed).toBe(1);
  });

  it('refuses what has no execute, such as a database for SQLite', () => {
    const sqlite = { run: () => {} } as unknown as ReturnType<typeof database>;
    expect(() => drizzleQuery(sqlite)).toThrow(/drizzleQuery.db must be a Drizzle database/);
    expect(() => drizzleQuery(database(), { poolWaitMs: 0 })).toThrow(/drizzleQuery.poolWaitMs/);
  });
});
