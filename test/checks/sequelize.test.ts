import { describe, expect, it } from 'vitest';
import {
  type SequelizeQueryRequest,
  sequelizePool,
  sequelizeQuery,
} from '../../src/checks/sequelize.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

const FULL = { size: 2, available: 0, using: 2, waiting: 3, maxSize: 2, _draining: false };

function fakeSequelize(isReplicated = false) {
  const pool = { ...FULL };
  const hooks = new Map<string, () => void>();
  const log: string[] = [];
  const requests: SequelizeQueryRequest[] = [];
  const connection = { destroy: () => void log.push('severed') };
  let acquire = async (): Promise<object> => connection;
  let answer = async (): Promise<unknown> => [];
  const sequelize = {
    connectionManager: {
      pool: isReplicated ? { write: pool, read: {} } : pool,
      getConnection: (options: { type: string }) => {
        log.push(`acquire ${options.type}`);
        return acquire();
      },
      releaseConnection: (given: object) => void log.push(given === connection ? 'back' : '?'),
      destroyConnection: async () => void log.push('destroyed'),
    },
    query: (sql: string, options: SequelizeQueryRequest) => {
      log.push(sql);
      requests.push(options);
      return answer();
    },
    addHook: (_: 'afterPoolAcquire', name: string, listener: () => void) =>
      void hooks.set(name, listener),
    removeHook: (_: 'afterPoolAcquire', name: string) => void hooks.delete(name),
  };
  const set = {
    acquire: (next: typeof acquire) => (acquire = next),
    answer: (next: typeof answer) => (answer = next),
  };
  return { sequelize, pool, hooks, log, requests, connection, set };
}

describe('sequelizePool', () => {
  it.each([false, true])(
    'C7, C8: reads the counters, with replication %s',
    async (isReplicated) => {
      const { sequelize, pool, hooks } = fakeSequelize(isReplicated);
      const clock = createManualClock();
      const check = harness(sequelizePool(sequelize, { noReturnFailMs: 10_000 }), clock);
      expect(await check.run()).toMatchObject({
        status: 'warn',
        code: 'pool_busy',
        observedValue: { used: 2, total: 2, idle: 0, waiting: 3, max: 2 },
      });
      await clock.advance(9_000);
      for (const acquired of hooks.values()) acquired();
      await clock.advance(9_000);
      expect((await check.run()).code).toBe('pool_busy');
      await clock.advance(1_000);
      expect((await check.run()).code).toBe('pool_exhausted');
      Object.assign(pool, { available: 2, using: 0, waiting: 0 });
      expect((await check.run()).status).toBe('pass');
      pool._draining = true;
      expect((await check.run()).code).toBe('pool_ended');
      expect(hooks.size).toBe(1);
      await check.dispose();
      expect(hooks.size).toBe(0);
    },
  );

  it('whoever a connection is being opened for does not wait for those of others', async () => {
    const { sequelize, pool } = fakeSequelize();
    Object.assign(pool, { size: 1, using: 0, waiting: 1 });
    const check = harness(sequelizePool(sequelize), createManualClock());
    expect(await check.run()).toMatchObject({ observedValue: { used: 1, waiting: 0 } });
  });

  it('two checks of one instance have a hook each', async () => {
    const { sequelize, hooks } = fakeSequelize();
    const checks = [sequelizePool(sequelize), sequelizeQuery(sequelize)];
    const started = checks.map((check) => harness(check, createManualClock()));
    expect(hooks.size).toBe(2);
    for (const each of started) await each.dispose();
    expect(hooks.size).toBe(0);
  });

  it('refuses what is no Sequelize', () => {
    const { sequelize } = fakeSequelize();
    const noPool = {
      ...sequelize,
      connectionManager: { ...sequelize.connectionManager, pool: {} },
    };
    expect(() => sequelizePool(noPool)).toThrow(/sequelizePool.sequelize must be a Sequelize/);
    const nothing = undefined as unknown as typeof sequelize;
    expect(() => sequelizeQuery(nothing)).toThrow(/sequelizeQuery.sequelize must be a Sequelize/);
  });
});

describe('sequelizeQuery', () => {
  it('asks once on a connection of the pool, quietly, and gives it back', async () => {
    const { sequelize, log, requests, connection } = fakeSequelize();
    const check = harness(sequelizeQuery(sequelize, { query: 'SELECT 2' }), createManualClock());
    expect((await check.run()).status).toBe('pass');
    expect(log).toEqual(['acquire write', 'SELECT 2', 'back']);
    expect(requests).toEqual([{ transaction: { connection }, logging: false, retry: { max: 1 } }]);
  });

  it('C2: no answer: severs the connection before it is taken out of the pool', async () => {
    const { sequelize, log, set } = fakeSequelize();
    const clock = createManualClock();
    const check = harness(sequelizeQuery(sequelize), clock);
    set.answer(() => new Promise(() => {}));
    const run = check.run();
    await clock.advance(1_000);
    expect((await run).status).toBe('fail');
    expect(log).toEqual(['acquire write', 'SELECT 1', 'severed', 'destroyed']);
  });

  it('C8: a timeout of the pool is no word of the server', async () => {
    const { sequelize, set } = fakeSequelize();
    const check = harness(sequelizeQuery(sequelize), createManualClock());
    const timeout = new Error('Operation timeout');
    set.acquire(() => Promise.reject(timeout));
    expect((await check.run()).status).toBe('fail');
    timeout.name = 'SequelizeConnectionAcquireTimeoutError';
    expect(await check.run()).toMatchObject({ status: 'warn', code: 'pool_busy' });
  });
});
