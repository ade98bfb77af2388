import { describe, expect, it } from 'vitest';
import type { PoolCounters } from '../../src/core/pool-check.js';
import {
  type PooledClient,
  type PooledQueryOptions,
  createPooledQuery,
} from '../../src/core/pooled-query.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

interface Pending {
  resolve(value: string): void;
  reject(error: unknown): void;
}

const pending = (list: Pending[]) =>
  new Promise<string>((resolve, reject) => list.push({ resolve, reject }));

const FULL: PoolCounters = { total: 2, idle: 0, waiting: 1, max: 2 };

function setup(options: PooledQueryOptions = {}, more: Partial<PooledClient<string>> = {}) {
  const clock = createManualClock();
  const acquires: Pending[] = [];
  const asked: { on: string; query: string; answer: Pending }[] = [];
  const log: string[] = [];
  const pool = { counters: FULL as PoolCounters | undefined, onReturn: () => {} };
  const client: PooledClient<string> = {
    name: 'someQuery',
    pool: {
      listen: (onReturn) => {
        pool.onReturn = onReturn;
        return () => log.push('stopped listening');
      },
      read: () => pool.counters,
    },
    acquire: () => pending(acquires),
    ask: (on, query) => {
      const answers: Pending[] = [];
      const answer = pending(answers);
      asked.push({ on, query, answer: answers[0] as Pending });
      return answer;
    },
    giveBack: (connection) => log.push(`back ${connection}`),
    discard: (connection) => log.push(`gone ${connection}`),
    ...more,
  };
  const check = createPooledQuery(client, options);
  return { clock, acquires, asked, log, pool, check: harness(check, clock, 1_000), raw: check };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('createPooledQuery', () => {
  it('passes when the statement is answered, and gives the connection back', async () => {
    const { check, acquires, asked, log } = setup();
    const run = check.run();
    acquires[0]?.resolve('c1');
    await settle();
    expect(asked[0]).toMatchObject({ on: 'c1', query: 'SELECT 1' });
    asked[0]?.answer.resolve('1');
    expect((await run).status).toBe('pass');
    expect(log).toEqual(['back c1']);
  });

  it('fails with the text of the server, and closes the connection', async () => {
    const { check, acquires, asked, log } = setup({ query: 'SELECT x' });
    const run = check.run();
    acquires[0]?.resolve('c1');
    await settle();
    asked[0]?.answer.reject(new Error('no such column'));
    expect(await run).toMatchObject({ status: 'fail', output: 'no such column' });
    expect(log).toEqual(['gone c1']);
  });

  it('C2: no answer: fails at the abort and closes the connection', async () => {
    const { clock, check, acquires, log } = setup();
    const run = check.run();
    acquires[0]?.resolve('c1');
    await clock.advance(1_000);
    expect(await run).toMatchObject({ status: 'fail', output: 'timed out', durationMs: 1_000 });
    expect(log).toEqual(['gone c1']);
  });

  it('C8: waiting for the pool is a warning in time, and the connection that comes late goes back', async () => {
    const { clock, check, acquires, log } = setup();
    const run = check.run();
    await clock.advance(499);
    await clock.advance(1);
    expect(await run).toMatchObject({
      status: 'warn',
      code: 'pool_busy',
      output: '2 of 2 connections in use, 1 waiting',
      durationMs: 500,
    });
    acquires[0]?.resolve('late');
    await settle();
    expect(log).toEqual(['back late']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('C7: runs after runs in vain have one request in the queue', async () => {
    const { clock, check, acquires } = setup({ noReturnFailMs: 3_600_000 });
    for (let each = 0; each < 10; each += 1) {
      const run = check.run();
      await clock.advance(500);
      expect((await run).code).toBe('pool_busy');
      await clock.advance(5_000);
    }
    expect(acquires).toHaveLength(1);
  });

  it('C8: fails when no connection has come back for noReturnFailMs, not while they do', async () => {
    const { clock, check, pool } = setup({ noReturnFailMs: 10_000 });
    const codes: (string | undefined)[] = [];
    for (let each = 0; each < 10; each += 1) {
      const run = check.run();
      await clock.advance(500);
      codes.push((await run).code);
      await clock.advance(3_500);
      if (each < 6) pool.onReturn();
    }
    expect(codes).toEqual([...Array(9).fill('pool_busy'), 'pool_exhausted']);
  });

  it('C8: a connection that a run got is a connection that has come back', async () => {
    const listen = () => undefined;
    const { clock, check, acquires, asked } = setup(
      { noReturnFailMs: 10_000 },
      { pool: { listen, read: () => FULL } },
    );
    const wait = async () => {
      const run = check.run();
      await clock.advance(500);
      return (await run).code;
    };
    expect(await wait()).toBe('pool_busy');
    await clock.advance(9_000);
    const run = check.run();
    acquires[0]?.resolve('c1');
    await settle();
    asked[0]?.answer.resolve('1');
    expect((await run).status).toBe('pass');
    await clock.advance(9_000);
    expect(await wait()).toBe('pool_busy');
  });

  it.each([
    ['when nobody waits for connections of others', { ...FULL, waiting: 0 }],
    ['when the pool was ended', undefined],
  ])('waits for the server until the abort %s', async (_, counters) => {
    const { clock, check, pool } = setup();
    pool.counters = counters;
    const run = check.run();
    await clock.advance(1_000);
    expect(await run).toMatchObject({ status: 'fail', output: 'timed out' });
  });

  it('without counters nobody knows: fails at the abort', async () => {
    const { clock, check } = setup({}, { pool: undefined });
    const run = check.run();
    await clock.advance(1_000);
    expect(await run).toMatchObject({ status: 'fail', output: 'timed out' });
  });

  it('C8: a pool that turns the request away is busy, not broken', async () => {
    const { check, acquires, pool } = setup(
      {},
      { isTurnedAway: (error) => error instanceof Error && error.message === 'queue timeout' },
    );
    // It has left the queue by then.
    pool.counters = { ...FULL, waiting: 0 };
    const run = check.run();
    acquires[0]?.reject(new Error('queue timeout'));
    expect(await run).toMatchObject({ status: 'warn', code: 'pool_busy' });
    const refused = check.run();
    acquires[1]?.reject(new Error('ECONNREFUSED'));
    expect(await refused).toMatchObject({ status: 'fail', output: 'ECONNREFUSED' });
    pool.counters = { ...FULL, idle: 1, waiting: 0 };
    const strange = check.run();
    acquires[2]?.reject(new Error('queue timeout'));
    expect(await strange).toMatchObject({ status: 'fail', output: 'queue timeout' });
  });

  it('poolWaitMs follows timeoutMs unless it is given', async () => {
    const { clock, check } = setup({ timeoutMs: 300 });
    const run = check.run();
    await clock.advance(150);
    expect((await run).code).toBe('pool_busy');
    const other = setup({ poolWaitMs: 20 });
    const quick = other.check.run();
    await other.clock.advance(20);
    expect((await quick).code).toBe('pool_busy');
  });

  it('an aborted run that gets its connection at that moment gives it back unused', async () => {
    const { raw, acquires, asked, log } = setup();
    const controller = new AbortController();
    const run = Promise.resolve(raw.run(controller.signal));
    acquires[0]?.resolve('c1');
    await Promise.resolve();
    controller.abort(new Error('aborted'));
    await expect(run).rejects.toThrow('aborted');
    await settle();
    expect(asked).toEqual([]);
    expect(log).toEqual(['back c1']);
  });

  it('asks for nothing when it was aborted before', async () => {
    const { raw, acquires } = setup();
    await expect(raw.run(AbortSignal.abort(new Error('aborted')))).rejects.toThrow('aborted');
    expect(acquires).toEqual([]);
  });

  it.each([
    ['that waits for a connection', false],
    ['that waits for its answer', true],
  ])('dispose ends a run %s, stops listening and leaves no timer', async (_, isLent) => {
    const { clock, check, acquires, log } = setup();
    const run = check.run();
    if (isLent) acquires[0]?.resolve('c1');
    await settle();
    await check.dispose();
    expect(await run).toMatchObject({ status: 'fail', output: 'this check was closed' });
    if (!isLent) acquires[0]?.resolve('c1');
    await settle();
    expect(log).toEqual(['stopped listening', isLent ? 'gone c1' : 'back c1']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('what giving back throws hurts nobody', async () => {
    const giveBack = () => {
      throw new Error('released twice');
    };
    const { check, acquires, asked } = setup({}, { giveBack });
    const run = check.run();
    acquires[0]?.resolve('c1');
    await settle();
    asked[0]?.answer.resolve('1');
    expect((await run).status).toBe('pass');
  });

  it('refuses to run before its start', async () => {
    const { raw } = setup();
    const fresh = createPooledQuery(
      {
        name: 'q',
        acquire: async () => 1,
        ask: async () => 1,
        giveBack: () => {},
        discard: () => {},
      },
      {},
    );
    await expect(fresh.run(new AbortController().signal)).rejects.toThrow(/only after its start/);
    expect(raw).toMatchObject({ componentType: 'datastore', measurement: 'responseTime' });
  });

  it.each([
    [{ query: '' }, /someQuery.query must be a text/],
    [{ poolWaitMs: 0 }, /someQuery.poolWaitMs must be a number from 1 to 999, got 0/],
    [{ poolWaitMs: 500, timeoutMs: 500 }, /someQuery.poolWaitMs must be a number from 1 to 499/],
    [{ noReturnFailMs: -1 }, /someQuery.noReturnFailMs must be a number from 1/],
  ])('names the bad option in %j', (options, message) => {
    expect(() => setup(options)).toThrow(message);
  });
});
