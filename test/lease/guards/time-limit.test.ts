import { describe, expect, it, vi } from 'vitest';
import { createPostgresGuard } from '../../../src/lease/guards/sql.js';
import { createRedisGuard } from '../../../src/lease/guards/redis.js';
import { createS3Guard } from '../../../src/lease/guards/s3.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';
import { fenced } from './guard-contract.js';

const claim = { token: 1n, holder: 'a' };
const never = (): Promise<never> => new Promise(() => {});
const timeout = fenced('HALE_GUARD_TIMEOUT');

/** How a write has ended so far. */
function follow(work: Promise<unknown>): () => unknown {
  let outcome: unknown = 'waiting';
  work.then(
    () => (outcome = 'written'),
    (error: unknown) => (outcome = error),
  );
  return () => outcome;
}

describe('a guard whose server says nothing', () => {
  it('H4: gives a write up after 4 s, or its own time-out', async () => {
    const clock = createManualClock();
    for (const [options, lastMs] of [
      [{}, 4000],
      [{ timeoutMs: 700 }, 700],
    ] as const) {
      const guard = createRedisGuard({ call: never }, options, clock);
      const outcome = follow(guard.run('price', claim, ['GET', 'price']));
      await clock.advance(lastMs - 1);
      expect(outcome()).toBe('waiting');
      await clock.advance(1);
      expect(outcome()).toEqual(timeout);
      expect(String(outcome())).toContain(`"price" within ${lastMs} ms`);
    }
    expect(clock.pendingTimers).toBe(0);
  });

  it('H4: ends with the signal of a grant, and leaves no listener on it', async () => {
    const clock = createManualClock();
    const given = new AbortController();
    const removed = vi.spyOn(given.signal, 'removeEventListener');
    const call = vi.fn<() => Promise<unknown>>(never);
    const guard = createRedisGuard({ call }, {}, clock);
    const outcome = follow(guard.run('price', { ...claim, signal: given.signal }, ['GET', 'x']));
    given.abort(new Error('the lease is gone'));
    await clock.settle();
    expect(String(outcome())).toContain('the lease is gone');
    expect(removed).toHaveBeenCalledTimes(1);
    expect(clock.pendingTimers).toBe(0);
    await expect(
      guard.run('price', { ...claim, signal: given.signal }, ['GET', 'x']),
    ).rejects.toThrow('the lease is gone');
    expect(call).toHaveBeenCalledTimes(1);
  });

  it('H4: an answer of S3 that comes too late is followed by no write', async () => {
    const clock = createManualClock();
    let answer: (object: object) => void = () => {};
    const puts: unknown[] = [];
    const signals: AbortSignal[] = [];
    const client = {
      getObject: (_: object, { abortSignal }: { abortSignal: AbortSignal }) => {
        signals.push(abortSignal);
        return new Promise<object>((resolve) => (answer = resolve));
      },
      putObject: async (input: unknown) => puts.push(input),
    };
    const guard = createS3Guard(client, { bucket: 'shop' }, clock);
    const outcomes = [follow(guard.write('manifest', claim, 1))];
    const late = answer;
    outcomes.push(follow(guard.read('manifest')));
    await clock.advance(4000);
    expect(outcomes.map((outcome) => outcome())).toEqual([timeout, timeout]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    const text = JSON.stringify({ token: '1', holder: 'a' });
    late({ ETag: '"x"', Body: { transformToString: async () => text } });
    await clock.settle();
    expect(puts).toEqual([]);
  });

  it('H4: PostgreSQL is given the time that an older write may stand still, and 4 s', async () => {
    const clock = createManualClock();
    const asked: string[] = [];
    const query = (text: string): Promise<{ rows: unknown[] }> => {
      asked.push(text);
      return asked.length === 1 ? Promise.resolve({ rows: [] }) : never();
    };
    const guard = createPostgresGuard({ idleTimeoutMs: 1000 }, clock);
    const outcome = follow(guard.write({ query }, 'orders', claim, async () => 'written'));
    await clock.advance(4999);
    expect(outcome()).toBe('waiting');
    await clock.advance(1);
    // Not after another wait, for a rollback that nobody would answer to.
    expect(outcome()).toEqual(timeout);
    expect([asked[0], asked.at(-1)]).toEqual(['BEGIN', 'ROLLBACK']);
  });

  it('H4: PostgreSQL is told to roll back when the signal ends the wait for BEGIN: it may begin all the same', async () => {
    const clock = createManualClock();
    const asked: string[] = [];
    const query = (text: string): Promise<{ rows: unknown[] }> => {
      asked.push(text);
      return text === 'BEGIN' ? never() : Promise.resolve({ rows: [] });
    };
    const guard = createPostgresGuard({}, clock);
    const given = new AbortController();
    const signalled = { ...claim, signal: given.signal };
    const outcome = follow(guard.write({ query }, 'orders', signalled, async () => 'written'));
    given.abort(new Error('the lease is gone'));
    await clock.settle();
    expect(String(outcome())).toContain('the lease is gone');
    expect(asked).toEqual(['BEGIN', 'ROLLBACK']);
    await expect(guard.write({ query }, 'orders', signalled, never)).rejects.toThrow('is gone');
    expect(asked).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
  });
});
