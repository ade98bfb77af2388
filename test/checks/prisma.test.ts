import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { prismaQuery } from '../../src/checks/prisma.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

function fakePrisma() {
  const queries: { query: string; resolve(rows: unknown): void; reject(error: unknown): void }[] =
    [];
  const prisma = {
    // As Prisma does: nothing is sent before somebody waits.
    $queryRawUnsafe: (query: string): PromiseLike<unknown> => ({
      // oxlint-disable-next-line unicorn/no-thenable -- what a PrismaPromise is
      then: (onResolved, onRejected) =>
        new Promise((resolve, reject) => queries.push({ query, resolve, reject })).then(
          onResolved,
          onRejected,
        ),
    }),
  };
  return { prisma, queries };
}

const fullPool = () =>
  Object.assign(new EventEmitter(), {
    totalCount: 2,
    idleCount: 0,
    waitingCount: 1,
    options: { max: 2 },
  });

describe('prismaQuery', () => {
  it('passes when the statement is answered, and fails with the text of the error', async () => {
    const { prisma, queries } = fakePrisma();
    const clock = createManualClock();
    const check = harness(prismaQuery(prisma, { query: 'SELECT 2' }), clock);
    const run = check.run();
    await clock.settle();
    expect(queries[0]?.query).toBe('SELECT 2');
    queries[0]?.resolve([]);
    expect((await run).status).toBe('pass');
    const other = check.run();
    await clock.settle();
    queries[1]?.reject(new Error("Can't reach database server"));
    expect(await other).toMatchObject({ status: 'fail', output: "Can't reach database server" });
  });

  it('C7: while a statement is under way no other is sent: runs wait for that one', async () => {
    const { prisma, queries } = fakePrisma();
    const clock = createManualClock();
    const check = harness(prismaQuery(prisma), clock);
    for (let each = 0; each < 3; each += 1) {
      const run = check.run();
      await clock.advance(1_000);
      expect(await run).toMatchObject({ status: 'fail', output: 'timed out' });
    }
    expect(queries).toHaveLength(1);
    const run = check.run();
    queries[0]?.resolve([]);
    expect((await run).status).toBe('pass');
  });

  it('C8: with the pool of the adapter, waiting for it is a warning', async () => {
    const { prisma } = fakePrisma();
    const pool = fullPool();
    const clock = createManualClock();
    const check = harness(prismaQuery(prisma, { pool, noReturnFailMs: 2_000 }), clock);
    const codes: (string | undefined)[] = [];
    for (let each = 0; each < 6; each += 1) {
      const run = check.run();
      await clock.advance(500);
      codes.push((await run).code);
    }
    expect(codes).toEqual([...Array(4).fill('pool_busy'), 'pool_exhausted', 'pool_exhausted']);
    await check.dispose();
    expect(pool.eventNames()).toEqual([]);
  });

  it('C8: P2024, a timeout of the pool, is no word of the server', async () => {
    const { prisma, queries } = fakePrisma();
    const clock = createManualClock();
    const check = harness(prismaQuery(prisma, { pool: fullPool() }), clock);
    const run = check.run();
    await clock.settle();
    const timeout = new Error('Timed out fetching a new connection from the connection pool');
    queries[0]?.reject(Object.assign(timeout, { code: 'P2024' }));
    expect(await run).toMatchObject({ status: 'warn', code: 'pool_busy' });
  });

  it('refuses what is no client, and a pool that it cannot read', () => {
    const { prisma } = fakePrisma();
    const nothing = {} as unknown as typeof prisma;
    expect(() => prismaQuery(nothing)).toThrow(/prismaQuery.prisma must be a PrismaClient/);
    expect(() => prismaQuery(prisma, { pool: {} })).toThrow(/prismaQuery.pool must be a pg.Pool/);
    expect(() => prismaQuery(prisma, { query: '' })).toThrow(/prismaQuery.query must be a text/);
  });
});
