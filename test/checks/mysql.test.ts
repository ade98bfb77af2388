import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  type MysqlConnectionLike,
  type MysqlPoolOptions,
  mysqlPool,
  mysqlQuery,
} from '../../src/checks/mysql.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

class FakePool extends EventEmitter {
  config: { connectionLimit?: number } = { connectionLimit: 10 };
  _closed = false;
  _allConnections = { length: 10 };
  _freeConnections = { length: 0 };
  _connectionQueue = { length: 0 };

  enqueue(count = 1) {
    for (let each = 0; each < count; each += 1) {
      this.emit('enqueue');
      this._connectionQueue.length += 1;
    }
  }

  /** As mysql2 does: whoever waits gets the connection, and nobody else hears of it. */
  serve(count = 1) {
    this._connectionQueue.length -= count;
  }
}

function setup(options: MysqlPoolOptions = {}, pool: FakePool = new FakePool()) {
  const clock = createManualClock();
  return { pool, clock, check: harness(mysqlPool(pool, options), clock) };
}

describe('mysqlPool', () => {
  it('C7: passes with what the driver counts', async () => {
    const { pool, check } = setup();
    pool._allConnections.length = 5;
    pool._freeConnections.length = 3;
    expect(await check.run()).toMatchObject({
      status: 'pass',
      observedValue: { used: 2, total: 5, idle: 3, waiting: 0, max: 10 },
      observedUnit: 'connections',
    });
  });

  it('C7: looks into the pool that mysql2/promise wraps', async () => {
    const pool = new FakePool();
    const check = harness(mysqlPool({ pool }), createManualClock());
    expect(await check.run()).toMatchObject({ status: 'warn', code: 'pool_busy' });
  });

  it('C8: a queue that keeps moving is busy, though no release is heard', async () => {
    const { pool, clock, check } = setup({ noReturnFailMs: 10_000 });
    pool.enqueue(40);
    await check.run();
    for (let sample = 0; sample < 20; sample += 1) {
      await clock.advance(9_000);
      // As many come as are served: the length of the queue alone tells nothing.
      pool.serve();
      pool.enqueue();
      expect(await check.run()).toMatchObject({
        status: 'warn',
        code: 'pool_busy',
        output: '10 of 10 connections in use, 40 waiting',
      });
    }
  });

  it('C8: a growing queue that nobody is served from fails after noReturnFailMs', async () => {
    const { pool, clock, check } = setup({ noReturnFailMs: 10_000 });
    pool.enqueue(2);
    await check.run();
    await clock.advance(5_000);
    pool.serve();
    await check.run();
    await clock.advance(9_999);
    pool.enqueue(7);
    expect((await check.run()).status).toBe('warn');
    await clock.advance(1);
    expect(await check.run()).toMatchObject({
      status: 'fail',
      code: 'pool_exhausted',
      output: 'no connection came back for 10000 ms: 10 of 10 connections in use, 8 waiting',
    });
    pool.serve();
    expect((await check.run()).status).toBe('warn');
  });

  it('C8: one put back at the head of the queue was not served', async () => {
    const { pool, clock, check } = setup({ noReturnFailMs: 10_000 });
    pool.enqueue(2);
    await check.run();
    await clock.advance(10_000);
    // mysql takes a request out, finds its connection dead, and puts the request back without a word.
    pool.serve();
    pool._connectionQueue.length += 1;
    expect((await check.run()).code).toBe('pool_exhausted');
  });

  it('C8: fails when the queue is over its ceiling for several samples', async () => {
    const { pool, check } = setup({ maxWaiting: 5, maxWaitingSamples: 2 });
    pool.enqueue(6);
    expect((await check.run()).status).toBe('warn');
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'pool_queue_too_long' });
  });

  it('a pool without a limit is never busy', async () => {
    const { pool, check } = setup();
    pool.config.connectionLimit = 0;
    pool._allConnections.length = 500;
    expect(await check.run()).toMatchObject({ status: 'pass', observedValue: { max: null } });
  });

  it('fails on a pool that has been ended', async () => {
    const { pool, check } = setup();
    pool._closed = true;
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'pool_ended' });
  });

  it('leaves no listener behind, and listens again when it is added again', async () => {
    const { pool, clock, check } = setup({ noReturnFailMs: 30_000 });
    const listeners = () => [pool.listenerCount('release'), pool.listenerCount('enqueue')];
    expect(listeners()).toEqual([1, 1]);
    pool.enqueue(5);
    await check.run();
    await check.dispose();
    expect(listeners()).toEqual([0, 0]);
    pool.serve(2);
    check.start();
    expect(listeners()).toEqual([1, 1]);
    await check.run();
    await clock.advance(29_000);
    pool.serve();
    await check.run();
    await clock.advance(29_000);
    expect(await check.run()).toMatchObject({ status: 'warn', code: 'pool_busy' });
    await clock.advance(1_000);
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'pool_exhausted' });
  });

  it('refuses to run before its start', () => {
    const { run } = mysqlPool(new FakePool());
    expect(() => run(new AbortController().signal)).toThrow('mysqlPool runs only after its start');
  });

  it.each([
    [{ warnAbove: 85 }, 'mysqlPool.warnAbove must be a number from 0 to 1, got 85'],
    [{ noReturnFailMs: 0 }, /mysqlPool.noReturnFailMs must be a number from 1/],
    [{ maxWaiting: 0 }, /mysqlPool.maxWaiting must be a whole number from 1/],
    [{ maxWaitingSamples: 1.5 }, /mysqlPool.maxWaitingSamples must be a whole number from 1/],
  ])('names the bad option in %j', (options, message) => {
    expect(() => setup(options)).toThrow(message);
  });

  it.each([undefined, {}, { pool: {} }, new EventEmitter()])(
    'refuses %o, which is no pool',
    (no) => {
      expect(() => mysqlPool(no as unknown as FakePool)).toThrow(
        /mysqlPool.pool must be a pool of mysql2 or mysql, got/,
      );
    },
  );
});

type Done = (error: unknown) => void;

class FakeConnection extends EventEmitter {
  queries: string[] = [];
  goodbyes = 0;
  destroyed = 0;
  stream = { destroy: () => (this.destroyed += 1) };
  constructor(readonly answer: (done: Done) => void = (done) => done(null)) {
    super();
  }
  connect = (done: Done) => done(null);
  query(sql: string, done: Done) {
    this.queries.push(sql);
    this.answer(done);
  }
  destroy = () => (this.goodbyes += 1);
}

describe('mysqlQuery', () => {
  const clock = createManualClock();
  const connecting = (make: () => FakeConnection) => {
    const connections: FakeConnection[] = [];
    const connect = () => {
      connections.push(make());
      return connections.at(-1) as FakeConnection;
    };
    return { connections, connect };
  };

  it('C7: asks on one connection of its own', async () => {
    const { connections, connect } = connecting(() => new FakeConnection());
    const check = harness(mysqlQuery(connect, { query: 'SELECT 2' }), clock);
    expect((await check.run()).status).toBe('pass');
    expect((await check.run()).status).toBe('pass');
    expect(connections.map(({ queries }) => queries)).toEqual([['SELECT 2', 'SELECT 2']]);
    await check.dispose();
    expect(connections[0]).toMatchObject({ goodbyes: 1, destroyed: 1 });
  });

  it('C2: settles on the signal when nothing answers, and cuts the socket', async () => {
    const { connections, connect } = connecting(() => new FakeConnection(() => {}));
    const check = harness(mysqlQuery(connect), clock, 1_000);
    const run = check.run();
    await clock.advance(1_000);
    expect(await run).toMatchObject({ status: 'fail', durationMs: 1_000 });
    expect(connections[0]?.destroyed).toBe(1);
  });

  it('cuts the socket where mysql keeps it', async () => {
    let destroyed = 0;
    const connection = Object.assign(new FakeConnection(), {
      stream: undefined,
      _socket: { destroy: () => (destroyed += 1) },
    }) as unknown as MysqlConnectionLike;
    const check = harness(
      mysqlQuery(() => connection),
      clock,
    );
    await check.run();
    await check.dispose();
    expect(destroyed).toBe(1);
  });

  it('an error event of the idle connection ends nothing but the connection', async () => {
    const { connections, connect } = connecting(() => new FakeConnection());
    const check = harness(mysqlQuery(connect), clock);
    await check.run();
    connections[0]?.emit('error', new Error('terminated'));
    connections[0]?.emit('error', new Error('and again'));
    expect((await check.run()).status).toBe('pass');
    expect(connections).toHaveLength(2);
  });

  it('C5: a failing connect or statement fails the run without a second attempt', async () => {
    const { connections, connect } = connecting(
      () => new FakeConnection((done) => done(new Error('no such table'))),
    );
    const check = harness(mysqlQuery(connect), clock);
    expect(await check.run()).toMatchObject({ status: 'fail', output: 'no such table' });
    expect(connections).toHaveLength(1);
    expect(connections[0]?.destroyed).toBe(1);
  });

  it('takes the connection that connection.promise() of mysql2 wraps', async () => {
    const connection = new FakeConnection();
    const wrapped = { connection } as unknown as MysqlConnectionLike;
    const check = harness(
      mysqlQuery(() => wrapped),
      clock,
    );
    expect((await check.run()).status).toBe('pass');
    expect(connection.queries).toEqual(['SELECT 1']);
  });

  it('refuses the promise of mysql2/promise and ends what it brings', async () => {
    const connection = new FakeConnection();
    const late = Promise.resolve({ connection }) as unknown as MysqlConnectionLike;
    const outcome = await harness(
      mysqlQuery(() => late),
      clock,
    ).run();
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toMatch(
      /must be a function that returns a connection of 'mysql2' or 'mysql', with callbacks, got/,
    );
    expect(connection.goodbyes).toBe(1);
  });

  it('names the bad option', () => {
    expect(() => mysqlQuery(() => new FakeConnection(), { query: '' })).toThrow(
      'mysqlQuery.query must be a text of 1 to 1024 characters, got ""',
    );
    expect(() => mysqlQuery(undefined as unknown as () => FakeConnection)).toThrow(
      'mysqlQuery.connect must be a function, got undefined',
    );
  });
});
