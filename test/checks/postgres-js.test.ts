import { describe, expect, it } from 'vitest';
import {
  type PostgresJsLike,
  type PostgresJsOwnOptions,
  postgresJsQuery,
} from '../../src/checks/postgres-js.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

/** A postgres() that answers as `unsafe` does, and what was asked of it. */
function setup(unsafe: (query: string) => Promise<unknown>, query?: string) {
  const clock = createManualClock();
  const given: PostgresJsOwnOptions[] = [];
  const calls: unknown[] = [];
  const connect = (own: PostgresJsOwnOptions): PostgresJsLike => {
    given.push(own);
    return {
      unsafe: (text) => {
        calls.push(text);
        return unsafe(text);
      },
      end: async (options) => {
        calls.push(options);
        throw new Error('ended already');
      },
    };
  };
  const check = postgresJsQuery(connect, query === undefined ? {} : { query });
  return { clock, given, calls, check: harness(check, clock) };
}

describe('postgresJsQuery', () => {
  it('C7: keeps one instance with one connection for all runs', async () => {
    const { check, given, calls } = setup(async () => []);
    expect(await check.run()).toMatchObject({ status: 'pass' });
    expect(await check.run()).toMatchObject({ status: 'pass' });
    expect(given).toHaveLength(1);
    expect(given[0]).toMatchObject({ max: 1, fetch_types: false });
    expect(given[0]?.onnotice()).toBeUndefined();
    expect(calls).toEqual(['SELECT 1', 'SELECT 1']);
    await check.dispose();
    expect(calls.at(-1)).toEqual({ timeout: 0 });
  });

  it('C5: ends its instance after a failure, and the next run makes a new one', async () => {
    const { check, given, calls } = setup(() => Promise.reject(new Error('no table')), 'SELECT x');
    expect(await check.run()).toMatchObject({ status: 'fail', output: 'no table' });
    expect(calls).toEqual(['SELECT x', { timeout: 0 }]);
    await check.run();
    expect(given).toHaveLength(2);
  });

  it('C2: ends with its signal, and lets no socket be opened afterwards', async () => {
    const { check, clock, given } = setup(() => new Promise(() => {}));
    const running = check.run();
    await clock.advance(1_000);
    expect((await running).output).toBe('timed out');
    const target = { host: ['127.0.0.1'], port: [1] };
    await expect(given[0]?.socket(target)).rejects.toThrow(
      'the connection of this check was closed',
    );
  });

  it('refuses what is no function, no statement, no instance', async () => {
    expect(() => postgresJsQuery({} as never)).toThrow(
      /postgresJsQuery.connect must be a function/,
    );
    const options = { query: '' };
    expect(() => postgresJsQuery(() => null as never, options)).toThrow(/postgresJsQuery.query/);
    const check = harness(
      postgresJsQuery(() => ({}) as never),
      createManualClock(),
    );
    expect((await check.run()).output).toMatch(/must be a function that returns postgres\(\)/);
  });
});
