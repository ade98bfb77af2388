import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { typeormPool, typeormQuery } from '../../src/checks/typeorm.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

class FakePgPool extends EventEmitter {
  totalCount = 2;
  idleCount = 0;
  waitingCount = 3;
  options = { max: 2 };
}

function fakeDataSource(
  driver: { master?: unknown; pool?: unknown } = { master: new FakePgPool() },
) {
  const log: string[] = [];
  let answer = async (): Promise<unknown> => [];
  let connect = async (): Promise<unknown> => ({
    connection: { stream: { destroy: () => void log.push('severed') } },
  });
  const dataSource = {
    isInitialized: true,
    driver,
    createQueryRunner: () => ({
      connect: () => connect(),
      query: (sql: string) => {
        log.push(sql);
        return answer();
      },
      release: async () => void log.push('released'),
    }),
  };
  const set = {
    connect: (next: typeof connect) => (connect = next),
    answer: (next: typeof answer) => (answer = next),
  };
  return { dataSource, log, set };
}

describe('typeormPool', () => {
  it('C7, C8: reads the counters of the pool below', async () => {
    const pool = new FakePgPool();
    const clock = createManualClock();
    const { dataSource } = fakeDataSource({ master: pool });
    const check = harness(typeormPool(dataSource, { noReturnFailMs: 10_000 }), clock);
    expect(await check.run()).toMatchObject({
      status: 'warn',
      code: 'pool_busy',
      observedValue: { used: 2, total: 2, idle: 0, waiting: 3, max: 2 },
    });
    await clock.advance(9_000);
    pool.emit('release');
    await clock.advance(9_000);
    expect((await check.run()).code).toBe('pool_busy');
    await clock.advance(1_000);
    expect((await check.run()).code).toBe('pool_exhausted');
    await check.dispose();
    expect(pool.eventNames()).toEqual([]);
  });

  it('follows the data source to the pool of its next initialize()', async () => {
    const [first, second] = [new FakePgPool(), new FakePgPool()];
    const driver: { master?: unknown } = {};
    const { dataSource } = fakeDataSource(driver);
    const check = harness(typeormPool(dataSource), createManualClock());
    dataSource.isInitialized = false;
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'not_initialized' });
    Object.assign(dataSource, { isInitialized: true });
    driver.master = first;
    expect((await check.run()).code).toBe('pool_busy');
    expect(first.listenerCount('release')).toBe(1);
    driver.master = second;
    second.idleCount = 2;
    second.waitingCount = 0;
    expect((await check.run()).status).toBe('pass');
    expect([first, second].map((pool) => pool.listenerCount('release'))).toEqual([0, 1]);
    await check.dispose();
    expect(second.listenerCount('release')).toBe(0);
  });

  it('says so when the driver has no pool that can be read', async () => {
    const { dataSource } = fakeDataSource({});
    const check = harness(typeormPool(dataSource), createManualClock());
    expect(await check.run()).toMatchObject({
      status: 'fail',
      output: 'this driver has no pool that can be read',
    });
  });

  it('refuses what is no data source', () => {
    const nothing = {} as unknown as ReturnType<typeof fakeDataSource>['dataSource'];
    expect(() => typeormPool(nothing)).toThrow(/typeormPool.dataSource must be a DataSource/);
    expect(() => typeormQuery(nothing)).toThrow(/typeormQuery.dataSource must be a DataSource/);
    expect(() => typeormPool(fakeDataSource().dataSource, { maxWaiting: 0 })).toThrow(/maxWaiting/);
  });
});

describe('typeormQuery', () => {
  it('asks once on a connection of the pool and releases it', async () => {
    const { dataSource, log } = fakeDataSource();
    const check = harness(typeormQuery(dataSource), createManualClock());
    expect((await check.run()).status).toBe('pass');
    expect(log).toEqual(['SELECT 1', 'released']);
  });

  it('C2: no answer: severs the connection and releases it', async () => {
    const { dataSource, log, set } = fakeDataSource();
    const clock = createManualClock();
    const check = harness(typeormQuery(dataSource), clock);
    set.answer(() => new Promise(() => {}));
    const run = check.run();
    await clock.advance(1_000);
    expect((await run).status).toBe('fail');
    expect(log).toEqual(['SELECT 1', 'severed', 'released']);
  });

  it('C2, C8: waiting for the pool warns, and the connection that comes late is released', async () => {
    const { dataSource, log, set } = fakeDataSource();
    const clock = createManualClock();
    const check = harness(typeormQuery(dataSource), clock);
    let arrive: ((connection: unknown) => void) | undefined;
    set.connect(() => new Promise((resolve) => (arrive = resolve)));
    const run = check.run();
    await clock.advance(500);
    expect(await run).toMatchObject({ status: 'warn', code: 'pool_busy' });
    arrive?.({});
    await clock.settle();
    expect(log).toEqual(['released']);
  });

  it('without initialize() it asks for nothing', async () => {
    const { dataSource, log } = fakeDataSource();
    dataSource.isInitialized = false;
    const check = harness(typeormQuery(dataSource), createManualClock());
    expect(await check.run()).toMatchObject({
      status: 'fail',
      code: 'not_initialized',
      output: 'the data source is not initialized',
    });
    expect(log).toEqual([]);
  });
});
