import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type KnexClientLike, knexPool, knexQuery } from '../../src/checks/knex.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

class FakeTarn extends EventEmitter {
  max = 2;
  used = 2;
  free = 0;
  pending = 0;
  numUsed = () => this.used;
  numFree = () => this.free;
  numPendingAcquires = () => this.pending;
  numPendingCreates = () => 0;
}

interface FakeConnection {
  id: number;
  queries: string[];
  connection: { stream: { destroy(): void } };
}

/** A Knex whose connections open when the test says so. */
function fakeKnex(isInstant = true) {
  const opening: { open(): void; fail(error: Error): void }[] = [];
  const closed: number[] = [];
  const opened: FakeConnection[] = [];
  let answer: () => Promise<unknown> = async () => [];
  const open = (): FakeConnection => {
    const id = opened.length;
    const connection = { stream: { destroy: () => void closed.push(id) } };
    opened.push({ id, queries: [], connection });
    return opened[id] as FakeConnection;
  };
  const client: KnexClientLike & { pool: FakeTarn | undefined; connectionSettings?: object } = {
    pool: new FakeTarn(),
    connectionSettings: {},
    acquireRawConnection: () =>
      new Promise<object>((resolve, reject) => {
        opening.push({ open: () => resolve(open()), fail: reject });
        if (isInstant) opening.at(-1)?.open();
      }),
    destroyRawConnection: async (raw: object) => {
      if (!closed.includes((raw as FakeConnection).id)) throw new Error('not severed first');
      throw new Error('already closed');
    },
  };
  const knex = {
    client,
    raw: (sql: string) => ({
      connection: (raw: object) => {
        (raw as FakeConnection).queries.push(sql);
        return answer();
      },
    }),
  };
  const answerWith = (next: typeof answer) => {
    answer = next;
  };
  return { knex, client, opening, opened, closed, answerWith };
}

describe('knexPool', () => {
  it('C7, C8: reads the counters of tarn: busy is a warning, no return for long a failure', async () => {
    const { knex, client } = fakeKnex();
    const clock = createManualClock();
    const check = harness(knexPool(knex, { noReturnFailMs: 10_000 }), clock);
    Object.assign(client.pool as FakeTarn, { pending: 3 });
    expect(await check.run()).toMatchObject({
      status: 'warn',
      code: 'pool_busy',
      observedValue: { used: 2, total: 2, idle: 0, waiting: 3, max: 2 },
    });
    await clock.advance(9_000);
    client.pool?.emit('release');
    await clock.advance(9_000);
    expect((await check.run()).code).toBe('pool_busy');
    await clock.advance(1_000);
    expect((await check.run()).code).toBe('pool_exhausted');
    Object.assign(client.pool as FakeTarn, { used: 0, free: 2, pending: 0 });
    expect((await check.run()).status).toBe('pass');
    await check.dispose();
    expect(client.pool?.eventNames()).toEqual([]);
  });

  it('fails once Knex was destroyed', async () => {
    const { knex, client } = fakeKnex();
    const check = harness(knexPool(knex), createManualClock());
    client.pool = undefined;
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'pool_ended' });
  });

  it('refuses what is no Knex, and one without a pool', () => {
    const noKnex = {} as unknown as ReturnType<typeof fakeKnex>['knex'];
    expect(() => knexPool(noKnex)).toThrow(/knexPool.knex must be a Knex instance/);
    const { knex, client } = fakeKnex();
    client.pool = undefined;
    expect(() => knexPool(knex)).toThrow(/knexPool.knex must be a Knex instance with a pool/);
    expect(() => knexPool(fakeKnex().knex, { warnAbove: 2 })).toThrow(/knexPool.warnAbove/);
  });
});

describe('knexQuery', () => {
  const started = (knex: ReturnType<typeof fakeKnex>['knex'], query?: string) => {
    const clock = createManualClock();
    const options = query === undefined ? {} : { query };
    return { clock, check: harness(knexQuery(knex, options), clock) };
  };

  it('C7: asks on one connection of its own, kept open between runs', async () => {
    const { knex, opened, closed } = fakeKnex();
    const { check } = started(knex, 'SELECT 2');
    for (let run = 0; run < 3; run += 1) expect((await check.run()).status).toBe('pass');
    expect(opened).toHaveLength(1);
    expect(opened[0]?.queries).toEqual(['SELECT 2', 'SELECT 2', 'SELECT 2']);
    await check.dispose();
    expect(closed).toEqual([0]);
  });

  it('C2: a run without an answer severs the connection at its deadline; the next opens another', async () => {
    const { knex, opened, closed, answerWith } = fakeKnex();
    const { clock, check } = started(knex);
    answerWith(() => new Promise(() => {}));
    const run = check.run();
    await clock.advance(1_000);
    expect(await run).toMatchObject({ status: 'fail', output: 'timed out' });
    expect(closed).toEqual([0]);
    answerWith(async () => []);
    expect((await check.run()).status).toBe('pass');
    expect(opened).toHaveLength(2);
  });

  it('C2: a connection that is open too late is closed, and never asked', async () => {
    const { knex, opening, opened, closed } = fakeKnex(false);
    const { clock, check } = started(knex);
    const run = check.run();
    await clock.advance(1_000);
    expect((await run).status).toBe('fail');
    opening[0]?.open();
    await clock.settle();
    expect(closed).toEqual([0]);
    expect(opened[0]?.queries).toEqual([]);
  });

  it('four attempts to connect at most are under way, since Knex calls none off', async () => {
    const { knex, opening, closed } = fakeKnex(false);
    const { clock, check } = started(knex);
    const outputs: (string | undefined)[] = [];
    for (let each = 0; each < 6; each += 1) {
      const run = check.run();
      await clock.advance(1_000);
      outputs.push((await run).output);
    }
    expect(opening).toHaveLength(4);
    const refusal = '4 earlier attempts to connect have not ended yet';
    expect(outputs).toEqual([...Array(4).fill('timed out'), refusal, refusal]);
    for (const each of opening) each.open();
    await clock.settle();
    expect(closed).toEqual([0, 1, 2, 3]);
    const run = check.run();
    await clock.settle();
    opening[4]?.open();
    expect((await run).status).toBe('pass');
  });

  it('fails with the text of the driver when it cannot connect', async () => {
    const { knex, opening } = fakeKnex(false);
    const { clock, check } = started(knex);
    const run = check.run();
    await clock.settle();
    opening[0]?.fail(new Error('connect ECONNREFUSED'));
    expect(await run).toMatchObject({ status: 'fail', output: 'connect ECONNREFUSED' });
  });

  it('connects nowhere before a connection function has said where', async () => {
    const { knex, client, opening } = fakeKnex();
    const { check } = started(knex);
    delete client.connectionSettings;
    expect(await check.run()).toMatchObject({
      status: 'fail',
      output: 'the pool has not called the connection function yet',
    });
    expect(opening).toHaveLength(0);
    client.connectionSettings = {};
    expect((await check.run()).status).toBe('pass');
  });

  it('refuses what is no Knex and a bad statement', () => {
    const { knex } = fakeKnex();
    const noKnex = { client: {}, raw: knex.raw };
    expect(() => knexQuery(noKnex)).toThrow(/knexQuery.knex must be a Knex instance/);
    expect(() => knexQuery(knex, { query: '' })).toThrow(/knexQuery.query must be a text/);
    expect(knexQuery(knex, { impact: 'degraded' })).toMatchObject({ impact: 'degraded' });
  });
});
