import { describe, expect, it } from 'vitest';
import type { Check, CheckResult } from '../../src/core/check.js';
import { type PoolStuckOptions, createStuckWatch } from '../../src/core/pool-stuck.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

const EXHAUSTED = { status: 'fail', code: 'pool_exhausted', output: 'nothing came back' } as const;
const BUSY = { status: 'warn', code: 'pool_busy' } as const;

/** A server that answers on fresh connections while `works`, and what was called. */
function setup(options: Partial<PoolStuckOptions> = {}) {
  const clock = createManualClock();
  const server = { works: true };
  const reasons: string[] = [];
  const calls: string[] = [];
  const lines: unknown[] = [];
  const fresh = (): Check => ({
    start: () => void calls.push('start'),
    run: () => {
      calls.push('run');
      if (!server.works) throw new Error('refused');
    },
    dispose: () => void calls.push('dispose'),
  });
  const onStuck = (reason: string) => void reasons.push(reason);
  const watch = createStuckWatch('ordersPool', { fresh, onStuck, ...options });
  const note = (fields: unknown) => void lines.push(fields);
  watch.start({ clock, logger: { info: note, warn: note, error: note } });
  const judge = (result: CheckResult) => watch.judge(result, new AbortController().signal);
  return { clock, server, reasons, calls, lines, watch, judge };
}

describe('createStuckWatch', () => {
  it('C8: leaves every other result alone and asks nobody', async () => {
    const { judge, calls } = setup();
    expect(await judge(BUSY)).toBe(BUSY);
    expect(await judge({ status: 'pass' })).toEqual({ status: 'pass' });
    expect(calls).toEqual([]);
  });

  it('C8: a pool that gives nothing while a fresh connection works is stuck', async () => {
    const { judge, calls } = setup();
    expect(await judge(EXHAUSTED)).toEqual({
      status: 'fail',
      code: 'pool_stuck',
      output: 'nothing came back; a fresh connection works',
    });
    await judge(EXHAUSTED);
    // Created and disposed each time: the connection of the last run would prove nothing.
    expect(calls).toEqual(['start', 'run', 'dispose', 'start', 'run', 'dispose']);
  });

  it('C8: a pool that gives nothing while the server is away is exhausted', async () => {
    const { judge, server, calls } = setup();
    server.works = false;
    const output = 'nothing came back; a fresh connection fails too: refused';
    expect(await judge(EXHAUSTED)).toEqual({ ...EXHAUSTED, output });
    expect(calls.at(-1)).toBe('dispose');
  });

  it.each([
    ['warns', { run: () => ({ status: 'warn', output: 'slow' }) }],
    ['fails', { run: () => ({ status: 'fail', output: 'no' }) }],
    ['gives nonsense', { run: () => 7 }],
  ])('C8: a fresh connection that %s is no evidence against the pool', async (_, check) => {
    const { judge } = setup({ fresh: () => check as unknown as Check });
    expect((await judge(EXHAUSTED)).code).toBe('pool_exhausted');
  });

  it('C8: a factory that throws is no evidence against the pool', async () => {
    const fresh = () => {
      throw new Error('no config');
    };
    expect((await setup({ fresh }).judge(EXHAUSTED)).output).toContain('no config');
  });

  it('L5: tells of a stuck pool once, after it has been stuck for long enough', async () => {
    const { judge, clock, reasons } = setup({ onStuckAfterMs: 10_000 });
    await judge(EXHAUSTED);
    await clock.advance(9_999);
    await judge(EXHAUSTED);
    expect(reasons).toEqual([]);
    await clock.advance(1);
    await judge(EXHAUSTED);
    await judge(EXHAUSTED);
    expect(reasons).toEqual(['ordersPool: the pool gives no connection while a fresh one works']);
  });

  it.each([
    ['a connection comes back', BUSY, true],
    ['the server is away', EXHAUSTED, false],
  ] as const)('L5: begins anew once %s', async (_, result, works) => {
    const { judge, clock, reasons, server } = setup({ onStuckAfterMs: 10_000 });
    await judge(EXHAUSTED);
    await clock.advance(9_000);
    server.works = works;
    await judge(result);
    server.works = true;
    await clock.advance(9_000);
    await judge(EXHAUSTED);
    expect(reasons).toEqual([]);
    await clock.advance(10_000);
    await judge(EXHAUSTED);
    expect(reasons).toHaveLength(1);
  });

  it('a callback that throws is logged and changes nothing', async () => {
    const onStuck = () => {
      throw new Error('oops');
    };
    const { judge, clock, lines } = setup({ onStuck, onStuckAfterMs: 1 });
    await judge(EXHAUSTED);
    await clock.advance(1);
    expect((await judge(EXHAUSTED)).code).toBe('pool_stuck');
    expect(lines).toEqual([{ event: 'on_stuck_failed', output: 'oops' }]);
  });

  it('refuses to judge unless it was started', async () => {
    const { watch, judge } = setup();
    watch.stop();
    await expect(judge(EXHAUSTED)).rejects.toThrow('ordersPool was not started');
  });

  it.each([
    [{ fresh: 1 }, /ordersPool.stuck.fresh must be a function/],
    [{ onStuck: 1 }, /ordersPool.stuck.onStuck must be a function/],
    [{ onStuckAfterMs: -1 }, /ordersPool.stuck.onStuckAfterMs must be a number from 1/],
  ])('refuses %j', (part, message) => {
    expect(() => setup(part as Partial<PoolStuckOptions>)).toThrow(message);
  });
});
