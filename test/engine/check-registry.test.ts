import { describe, expect, it } from 'vitest';
import type { CheckTransition } from '../../src/engine/monitored-check.js';
import { check, setUpRegistry } from './support.js';

describe('check registry, background', () => {
  it('C3: first run within 500 ms, then ±20 % of the interval; readiness follows', async () => {
    const { registry, clock, readiness } = setUpRegistry();
    const starts: number[] = [];
    registry.add(check('database', async () => void starts.push(clock.now())));
    registry.start();
    await clock.advance(100);
    expect(readiness()).toMatchObject({ status: 'fail', reason: 'check_pending:database' });
    await clock.advance(10_150);
    expect(starts).toEqual([1250, 6250, 11_250]);
    expect(readiness()).toMatchObject({ status: 'pass', reason: 'ok' });
    await registry.dispose();
    expect(clock.pendingTimers).toBe(0);
  });

  it('C3: first runs spread over the whole start window', async () => {
    let turn = 0;
    const { registry, clock } = setUpRegistry({ random: () => (turn++ % 100) / 100 });
    const starts: number[] = [];
    for (let index = 0; index < 100; index += 1) {
      registry.add(check(`check-${index}`, async () => void starts.push(clock.now() - 1000)));
    }
    registry.start();
    await clock.advance(499);
    expect(starts).toHaveLength(100);
    const perTenth = Array.from(
      { length: 10 },
      (_, tenth) => starts.filter((at) => at >= tenth * 50 && at < (tenth + 1) * 50).length,
    );
    expect(Math.max(...perTenth)).toBeLessThanOrEqual(12);
    await registry.dispose();
  });

  it('C3, R5: while unsettled it runs every second, and three failures in a row fail readiness', async () => {
    const { registry, clock, readiness } = setUpRegistry();
    let fails = false;
    const starts: number[] = [];
    const run = async () => {
      starts.push(clock.now());
      if (fails) throw new Error('connection refused');
    };
    registry.add(check('database', run));
    registry.start();
    await clock.advance(300);
    fails = true;
    await clock.advance(6000);
    expect(readiness().status).toBe('pass');
    await clock.advance(2000);
    expect(starts).toEqual([1250, 6250, 7250, 8250]);
    expect(readiness()).toMatchObject({ status: 'fail', reason: 'check_failed:database' });
    await registry.dispose();
  });

  it('C2: a check that never settles and ignores its signal: fail at its timeout, flat, two hanging at most', async () => {
    const { registry, clock, readiness } = setUpRegistry();
    let starts = 0;
    registry.add(
      check('database', () => {
        starts += 1;
        return new Promise(() => {});
      }),
    );
    registry.start();
    await clock.advance(1249);
    expect(readiness().reason).toBe('check_pending:database');
    await clock.advance(1);
    expect(readiness().reason).toBe('check_failed:database');
    await clock.advance(60_000);
    const [early] = registry.views();
    const timers = clock.pendingTimers;
    await clock.advance(3_600_000);
    const [late] = registry.views();
    expect(starts).toBe(2);
    expect(early).toMatchObject({
      abandoned: 2,
      hanging: 2,
      verdict: 'fail',
      last: { code: 'hung' },
    });
    expect(late).toMatchObject({
      abandoned: 2,
      hanging: 2,
      verdict: 'fail',
      last: { code: 'hung' },
    });
    expect(late?.runs).toBeGreaterThan(500);
    expect(clock.pendingTimers).toBe(timers);
    expect(readiness().reason).toBe('check_failed:database');
    await registry.dispose();
  });

  it('C3, C4: nine hanging checks do not keep a sound one from running', async () => {
    const { registry, clock, probe } = setUpRegistry();
    for (let index = 0; index < 9; index += 1) {
      registry.add(
        check(`hung-${index}`, { run: () => new Promise(() => {}), impact: 'optional' }),
      );
    }
    registry.add(check('sound', async () => {}));
    registry.start();
    await clock.advance(5000);
    expect(probe.state.checks.get('sound')).toMatchObject({ verdict: 'pass' });
    await registry.dispose();
  });

  it('R3: a check whose refresh loop is broken turns stale and never keeps its pass', async () => {
    let draws = 0;
    const random = () => {
      draws += 1;
      if (draws > 3) throw new Error('broken on purpose');
      return 0.5;
    };
    const { registry, clock, readiness, errors } = setUpRegistry({ random });
    registry.add(check('database', async () => {}));
    registry.start();
    await clock.advance(12_000);
    expect(readiness().reason).toBe('ok');
    await clock.advance(18_000);
    expect(readiness()).toMatchObject({ status: 'fail', reason: 'stale:database' });
    expect(errors).toMatchObject([{ where: 'check "database"' }]);
    await registry.dispose();
  });

  it('R3: a dead scheduler makes readiness stale as a whole', async () => {
    const { registry, clock, readiness, errors } = setUpRegistry();
    registry.add(check('database', { run: async () => {}, intervalMs: 600_000 }));
    registry.start();
    await clock.advance(5000);
    const { setTimeout } = clock;
    let broken = 0;
    clock.setTimeout = (...args) => {
      if (broken++ === 0) throw new Error('broken on purpose');
      return setTimeout(...args);
    };
    await clock.advance(9000);
    expect(readiness().reason).toBe('ok');
    await clock.advance(2500);
    expect(readiness()).toMatchObject({ status: 'fail', reason: 'stale' });
    expect(errors).toMatchObject([{ where: 'the scheduler' }]);
    await registry.dispose();
  });

  it('C2: a check removed during a run has its run aborted, its outcome dropped and its resources released', async () => {
    const { registry, clock, probe } = setUpRegistry();
    const seen: string[] = [];
    registry.add(
      check('database', {
        start: () => void seen.push('start'),
        run: (signal) => {
          signal.addEventListener('abort', () => seen.push('abort'));
          return new Promise(() => {});
        },
        dispose: () => void seen.push('dispose'),
      }),
    );
    registry.start();
    await clock.advance(300);
    await registry.remove('database');
    await clock.advance(5000);
    expect(seen).toEqual(['start', 'abort', 'dispose']);
    expect(probe.state.checks.size).toBe(0);
    await expect(registry.remove('database')).rejects.toMatchObject({ code: 'HALE_CHECK_UNKNOWN' });
    await registry.dispose();
    expect(clock.pendingTimers).toBe(0);
  });

  it('C3: a check can be added while running, and a name only once', async () => {
    const { registry, clock, probe } = setUpRegistry();
    registry.start();
    await clock.advance(5000);
    registry.add(check('late', async () => {}));
    expect(() => registry.add(check('late', async () => {}))).toThrow(
      'a check named "late" exists already',
    );
    await clock.advance(500);
    expect(probe.state.checks.get('late')).toMatchObject({ verdict: 'pass', runs: 1 });
    await registry.dispose();
  });

  it('C4: a dispose that hangs or throws is reported and delays nothing beyond its limit', async () => {
    const { registry, clock, errors } = setUpRegistry();
    registry.add(check('hangs', { run: async () => {}, dispose: () => new Promise(() => {}) }));
    registry.add(
      check('throws', { run: async () => {}, dispose: () => Promise.reject(new Error('no')) }),
    );
    const disposed = registry.dispose();
    await clock.advance(1000);
    await disposed;
    expect(errors.map(({ where }) => where).toSorted()).toEqual([
      'dispose of check "hangs"',
      'dispose of check "throws"',
    ]);
  });

  it('O2: transitions are logged once each, with cause and how long the state before had lasted', async () => {
    const transitions: CheckTransition[] = [];
    const { registry, clock, log, errors } = setUpRegistry({
      onTransition: (transition) => {
        transitions.push(transition);
        throw new Error('listener');
      },
    });
    let fails = true;
    registry.add(
      check('database', async () => {
        if (fails) throw new Error('refused');
      }),
    );
    registry.start();
    await clock.advance(30_000);
    fails = false;
    await clock.advance(30_000);
    expect(transitions.map(({ from, to }) => `${from}→${to}`)).toEqual([
      'unknown→fail',
      'fail→pass',
    ]);
    expect(log.lines.map(({ level }) => level)).toEqual(['error', 'info']);
    expect(log.lines[0]?.fields).toMatchObject({
      check: 'database',
      code: 'error',
      output: 'refused',
      impact: 'critical',
    });
    expect(log.lines[1]).toMatchObject({
      fields: { lastedMs: 30_000 },
      message: 'check "database" passes after 30.0 s of fail',
    });
    expect(errors).toHaveLength(2);
    await registry.dispose();
  });
});

describe('check registry, on demand', () => {
  const onDemand = (run: () => Promise<void>) => check('database', { run, mode: 'on-demand' });

  it('C6: 1,000 concurrent requests cause exactly one run, whose result is published before they resolve', async () => {
    const { registry, clock, readiness } = setUpRegistry();
    let runs = 0;
    registry.add(
      onDemand(async () => {
        runs += 1;
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, 50));
      }),
    );
    registry.start();
    const reasons = Promise.all(
      Array.from({ length: 1000 }, async () => {
        await registry.evaluate();
        return readiness().reason;
      }),
    );
    await clock.advance(50);
    expect(new Set(await reasons)).toEqual(new Set(['ok']));
    expect(runs).toBe(1);
    await registry.dispose();
  });

  it('C6: a failure is cached for a second at most, a success for its TTL', async () => {
    const { registry, clock } = setUpRegistry();
    let runs = 0;
    let fails = true;
    registry.add(
      onDemand(async () => {
        runs += 1;
        if (fails) throw new Error('down');
      }),
    );
    registry.start();
    const ask = async (afterMs: number) => {
      await clock.advance(afterMs);
      await registry.evaluate();
      return runs;
    };
    expect([await ask(1), await ask(998), await ask(1), await ask(1)]).toEqual([1, 1, 1, 2]);
    fails = false;
    expect([await ask(1000), await ask(1999), await ask(1)]).toEqual([3, 3, 4]);
    await registry.dispose();
  });

  it('C2, C6: a hanging on-demand check resolves at its timeout, and nothing runs unasked', async () => {
    const { registry, clock, readiness } = setUpRegistry();
    let runs = 0;
    registry.add(
      onDemand(() => {
        runs += 1;
        return new Promise(() => {});
      }),
    );
    registry.start();
    await clock.advance(10_000);
    expect(runs).toBe(0);
    const asked = registry.evaluate();
    await clock.advance(1000);
    await asked;
    expect(readiness().reason).toBe('check_failed:database');
    await registry.dispose();
  });
});
