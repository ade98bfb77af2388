import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  type PostgresPoolOptions,
  postgresPool,
  postgresQuery,
} from '../../src/checks/postgres.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

class FakePool extends EventEmitter {
  totalCount = 10;
  idleCount = 0;
  waitingCount = 0;
  ending = false;
  options = { max: 10 };
}

function setup(options: PostgresPoolOptions = {}, pool: FakePool = new FakePool()) {
  const clock = createManualClock();
  return { pool, clock, check: harness(postgresPool(pool, options), clock) };
}

describe('postgresPool', () => {
  it('C7: passes with what the driver counts', async () => {
    const { pool, check } = setup();
    Object.assign(pool, { totalCount: 5, idleCount: 3 });
    expect(await check.run()).toMatchObject({
      status: 'pass',
      observedValue: { used: 2, total: 5, idle: 3, waiting: 0, max: 10 },
      observedUnit: 'connections',
    });
  });

  it('C8: warns above 85 % use and stays at warn while connections come back', async () => {
    const { pool, clock, check } = setup();
    pool.waitingCount = 40;
    for (let minute = 0; minute < 10; minute += 1) {
      await clock.advance(20_000);
      pool.emit('release');
      expect(await check.run()).toMatchObject({
        status: 'warn',
        code: 'pool_busy',
        output: '10 of 10 connections in use, 40 waiting',
      });
    }
  });

  it('C8: fails when requests wait and nothing came back for noReturnFailMs', async () => {
    const { pool, clock, check } = setup({ noReturnFailMs: 10_000 });
    pool.waitingCount = 2;
    await check.run();
    await clock.advance(5_000);
    pool.emit('release');
    await clock.advance(9_999);
    expect((await check.run()).status).toBe('warn');
    await clock.advance(1);
    expect(await check.run()).toMatchObject({
      status: 'fail',
      code: 'pool_exhausted',
      output: 'no connection came back for 10000 ms: 10 of 10 connections in use, 2 waiting',
    });
    pool.emit('release');
    expect((await check.run()).status).toBe('warn');
  });

  it('C8: fails when the queue is over its ceiling for several samples', async () => {
    const { pool, check } = setup({ maxWaiting: 5, maxWaitingSamples: 2 });
    pool.waitingCount = 6;
    expect((await check.run()).status).toBe('warn');
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'pool_queue_too_long' });
  });

  it('C8: works by counts alone on a pool without events', async () => {
    const clock = createManualClock();
    const pool = { totalCount: 2, idleCount: 0, waitingCount: 3, options: { max: 2 } };
    const check = harness(postgresPool(pool), clock);
    await check.run();
    await clock.advance(29_000);
    pool.waitingCount = 2;
    await check.run();
    await clock.advance(29_000);
    expect((await check.run()).status).toBe('warn');
    await clock.advance(1_000);
    expect((await check.run()).code).toBe('pool_exhausted');
    await check.dispose();
  });

  it('fails on a pool that has been ended', async () => {
    const { pool, check } = setup();
    pool.ending = true;
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'pool_ended' });
  });

  it('C8: added again, it listens again', async () => {
    const { pool, clock, check } = setup({ noReturnFailMs: 30_000 });
    await check.dispose();
    check.start();
    expect(pool.listenerCount('release')).toBe(1);
    pool.waitingCount = 5;
    await check.run();
    await clock.advance(29_000);
    pool.emit('release');
    await clock.advance(2000);
    expect(await check.run()).toMatchObject({ status: 'warn', code: 'pool_busy' });
  });

  it('leaves no listener behind', async () => {
    const { pool, check } = setup();
    expect(pool.listenerCount('release')).toBe(1);
    await check.dispose();
    expect(pool.listenerCount('release')).toBe(0);
  });

  it('refuses to run before its start', () => {
    const { run } = postgresPool(new FakePool());
    expect(() => run(new AbortController().signal)).toThrow(/runs only after its start/);
  });

  it.each([
    [{ warnAbove: 85 }, 'postgresPool.warnAbove must be a number from 0 to 1, got 85'],
    [{ noReturnFailMs: 0 }, /postgresPool.noReturnFailMs must be a number from 1/],
    [{ maxWaiting: 0 }, /postgresPool.maxWaiting must be a whole number from 1/],
    [{ maxWaitingSamples: 1.5 }, /postgresPool.maxWaitingSamples must be a whole number from 1/],
  ])('names the bad option in %j', (options, message) => {
    expect(() => setup(options)).toThrow(message);
  });

  it('refuses what is no pool', () => {
    const noPool = {} as unknown as FakePool;
    expect(() => postgresPool(noPool)).toThrow(/postgresPool.pool must be a pg.Pool/);
  });

  it('keeps the common options of a check', () => {
    expect(postgresPool(new FakePool(), { impact: 'optional', timeoutMs: 5 })).toMatchObject({
      impact: 'optional',
      timeoutMs: 5,
      componentType: 'datastore',
      measurement: 'connections',
    });
  });
});

class FakeClient extends EventEmitter {
  queries: string[] = [];
  destroyed = 0;
  connection = { stream: { destroy: () => (this.destroyed += 1) } };
  constructor(readonly answer: () => Promise<unknown> = async () => ({})) {
    super();
  }
  connect = async () => {};
  end = () => Promise.reject(new Error('the polite end failed'));
  query(text: string) {
    this.queries.push(text);
    return this.answer();
  }
}

describe('postgresQuery', () => {
  const clock = createManualClock();

  it('C7: asks on one connection of its own', async () => {
    const clients: FakeClient[] = [];
    const connect = () => {
      clients.push(new FakeClient());
      return clients.at(-1) as FakeClient;
    };
    const check = harness(postgresQuery(connect, { query: 'SELECT 2' }), clock);
    expect((await check.run()).status).toBe('pass');
    expect((await check.run()).status).toBe('pass');
    expect(clients.map(({ queries }) => queries)).toEqual([['SELECT 2', 'SELECT 2']]);
    await check.dispose();
    expect(clients[0]?.destroyed).toBe(1);
  });

  it('C2: settles on the signal when nothing answers, and cuts the socket', async () => {
    const client = new FakeClient(() => new Promise(() => {}));
    const check = harness(
      postgresQuery(() => client),
      clock,
      1_000,
    );
    const run = check.run();
    await clock.advance(1_000);
    expect(await run).toMatchObject({ status: 'fail', durationMs: 1_000 });
    expect(client.destroyed).toBe(1);
  });

  it('an error event of the idle connection ends nothing but the connection', async () => {
    const clients: FakeClient[] = [];
    const connect = () => {
      clients.push(new FakeClient());
      return clients.at(-1) as FakeClient;
    };
    const check = harness(postgresQuery(connect), clock);
    await check.run();
    clients[0]?.emit('error', new Error('terminated'));
    clients[0]?.emit('error', new Error('and again'));
    expect((await check.run()).status).toBe('pass');
    expect(clients).toHaveLength(2);
  });

  it('C5: a failing connect fails the run without a second attempt', async () => {
    let attempts = 0;
    const connect = (): FakeClient => {
      attempts += 1;
      throw new Error('no such host');
    };
    const check = harness(postgresQuery(connect), clock);
    expect(await check.run()).toMatchObject({ status: 'fail', output: 'no such host' });
    expect(attempts).toBe(1);
  });

  it('names the bad option', () => {
    expect(() => postgresQuery(() => new FakeClient(), { query: ' ' })).toThrow(
      'postgresQuery.query must be a statement, got " "',
    );
    expect(() => postgresQuery(undefined as unknown as () => FakeClient)).toThrow(
      'postgresQuery.connect must be a function, got undefined',
    );
  });
});
