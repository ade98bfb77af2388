import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckRun } from '../../src/core/check.js';
import { DEFAULTS } from '../../src/core/defaults.js';
import { createCheckRunner } from '../../src/engine/check-runner.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

function setUp(run: CheckRun, timeoutMs = 1000) {
  const clock = createManualClock();
  const runner = createCheckRunner({ name: 'db', run, timeoutMs, clock, redact: (text) => text });
  return { clock, runner };
}

const never: CheckRun = () => new Promise(() => {});

describe('check runner', () => {
  it('C1: nothing returned passes, and the timer is gone', async () => {
    const { clock, runner } = setUp(async () => {});
    await expect(runner.run()).resolves.toMatchObject({ status: 'pass', at: 1000, durationMs: 0 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('C1: the signal aborts with HALE_CHECK_TIMEOUT at the timeout', async () => {
    let signal: AbortSignal | undefined;
    const { clock, runner } = setUp((given) => {
      signal = given;
      return new Promise(() => {});
    });
    const run = runner.run();
    await clock.advance(999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal?.reason).toMatchObject({ code: 'HALE_CHECK_TIMEOUT' });
    await expect(run).resolves.toMatchObject({ status: 'fail', code: 'timeout', durationMs: 1000 });
  });

  it('C2: settles at its timeout although the check ignores its signal, and counts the run', async () => {
    const { clock, runner } = setUp(never);
    const run = runner.run();
    await clock.advance(1000);
    await expect(run).resolves.toMatchObject({ status: 'fail', code: 'timeout' });
    expect(runner).toMatchObject({ abandoned: 1, hanging: 1 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('C4: a listener of the signal that throws reaches nothing else', async () => {
    const { clock, runner } = setUp((signal) => {
      signal.addEventListener('abort', () => {
        throw new Error('thrown while aborting');
      });
      return new Promise(() => {});
    });
    const run = runner.run();
    await clock.advance(1000);
    await expect(run).resolves.toMatchObject({ status: 'fail', code: 'timeout' });
    // An uncaught exception fails the test run.
    await clock.settle();
    void runner.run();
    runner.dispose();
    await clock.settle();
    expect(runner).toMatchObject({ abandoned: 1, hanging: 1 });
  });

  it('C2: a late result is dropped and gives the hanging run back', async () => {
    let finish: (value: { status: 'pass' }) => void = () => {};
    const { clock, runner } = setUp(() => new Promise((resolve) => (finish = resolve)));
    const run = runner.run();
    await clock.advance(1000);
    finish({ status: 'pass' });
    await clock.settle();
    await expect(run).resolves.toMatchObject({ status: 'fail', code: 'timeout' });
    expect(runner).toMatchObject({ abandoned: 1, hanging: 0 });
  });

  it('C2: with two runs hanging a third is not started and fails as hung at once', async () => {
    let starts = 0;
    const { clock, runner } = setUp((signal) => {
      starts += 1;
      return never(signal);
    });
    for (let index = 0; index < DEFAULTS.maxHanging; index += 1) {
      const run = runner.run();
      await clock.advance(1000);
      await run;
    }
    await expect(runner.run()).resolves.toMatchObject({
      status: 'fail',
      code: 'hung',
      durationMs: 0,
    });
    expect(starts).toBe(2);
    expect(runner).toMatchObject({ abandoned: 2, hanging: 2 });
  });

  const hostile: [string, CheckRun, string][] = [
    [
      'throws synchronously',
      () => {
        throw new Error('boom');
      },
      'boom',
    ],
    [
      'rejects with undefined',
      () => Promise.reject(undefined as unknown as Error),
      'threw undefined',
    ],
    ['returns a plain value', (() => 42) as unknown as CheckRun, 'got 42'],
    [
      'returns a thenable that throws',
      (() => ({
        // oxlint-disable-next-line unicorn/no-thenable
        then() {
          throw new Error('then');
        },
      })) as unknown as CheckRun,
      'then',
    ],
    [
      'returns an object whose getter throws',
      () => ({
        get status(): 'pass' {
          throw new Error('getter');
        },
      }),
      'getter',
    ],
    [
      'throws an error that cannot be read',
      () => {
        throw {
          get message() {
            throw new Error('x');
          },
        } as unknown as Error;
      },
      'cannot be read',
    ],
    [
      'returns an unknown status',
      (() => ({ status: 'ok' })) as unknown as CheckRun,
      'status must be',
    ],
  ];
  it.each(hostile)('C4: a check that %s fails and nothing escapes', async (_, run, text) => {
    const { clock, runner } = setUp(run);
    const outcome = await runner.run();
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toContain(text);
    expect(clock.pendingTimers).toBe(0);
  });

  it('C2: disposal ends a run at once, aborts its signal and leaves no timer', async () => {
    let signal: AbortSignal | undefined;
    const { clock, runner } = setUp((given) => {
      signal = given;
      return new Promise(() => {});
    });
    const run = runner.run();
    runner.dispose();
    runner.dispose();
    await expect(run).resolves.toMatchObject({ status: 'fail' });
    expect(signal?.reason).toMatchObject({ code: 'HALE_DISPOSED' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('C2, C4: any sequence of settling, hanging and throwing keeps the bounds', async () => {
    const step = fc.constantFrom('pass', 'throw', 'reject', 'hang', 'late', 'release');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const late: (() => void)[] = [];
        let kind = 'pass';
        let live = 0;
        const { clock, runner } = setUp((): Promise<undefined> => {
          if (kind === 'throw') throw new Error('throw');
          if (kind === 'reject') return Promise.reject(new Error('reject'));
          if (kind === 'pass') return Promise.resolve(undefined);
          live += 1;
          return new Promise((resolve) => {
            if (kind === 'late')
              late.push(() => {
                live -= 1;
                resolve(undefined);
              });
          });
        });
        for (const next of steps) {
          if (next === 'release') {
            late.shift()?.();
            await clock.settle();
            continue;
          }
          kind = next;
          const started = clock.now();
          const run = runner.run();
          await clock.advance(1000);
          const outcome = await run;
          expect(outcome.at - started).toBeLessThanOrEqual(1000);
          expect(outcome.status === 'pass').toBe(kind === 'pass' && outcome.code !== 'hung');
          expect(live).toBeLessThanOrEqual(DEFAULTS.maxHanging);
          expect(runner.hanging).toBe(live);
          expect(clock.pendingTimers).toBe(0);
        }
      }),
      { numRuns: 60 },
    );
  });
});
