import { BrokenCircuitError, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel';
import CircuitBreaker from 'opossum';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type BreakerOptions,
  type OpossumBreakerLike,
  cockatielBreaker,
  opossumBreaker,
} from '../../src/checks/breakers.js';
import type { Check } from '../../src/core/check.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

const run = (check: Check) => harness(check, createManualClock()).run();
const CLOSED = {
  name: 'mail',
  opened: false,
  halfOpen: false,
  closed: true,
  enabled: true,
  isShutdown: false,
};
const opossum = (state: Partial<OpossumBreakerLike>, options?: BreakerOptions) =>
  run(opossumBreaker({ ...CLOSED, ...state }, options));

describe('opossumBreaker', () => {
  it.each([
    [{}, 'pass', undefined, 'closed'],
    [{ opened: true, closed: false }, 'warn', 'breaker_open', 'open'],
    [{ halfOpen: true, closed: false }, 'warn', 'breaker_half_open', 'half_open'],
    [{ isShutdown: true, closed: false }, 'warn', 'breaker_shut_down', 'shut_down'],
    [{ opened: true, closed: false, enabled: false }, 'pass', undefined, 'disabled'],
  ])('%j is %s', async (state, status, code, observedValue) => {
    expect(await opossum(state)).toMatchObject({ status, observedValue });
    expect((await opossum(state)).code).toBe(code);
  });

  it('fails when told so, but not while half open', async () => {
    const open = { opened: true, closed: false };
    expect(await opossum(open, { whenOpen: 'fail' })).toMatchObject({
      status: 'fail',
      output: 'the circuit breaker is open',
    });
    expect((await opossum({ halfOpen: true }, { whenOpen: 'fail' })).status).toBe('warn');
  });

  describe('on the real opossum', () => {
    let breaker: CircuitBreaker | undefined;
    afterEach(() => breaker?.shutdown());

    it('C9: reads the state and never fires the breaker', async () => {
      let fired = 0;
      const mail = () => {
        fired += 1;
        return Promise.reject(new Error('down'));
      };
      breaker = new CircuitBreaker(mail, { resetTimeout: 600_000, errorThresholdPercentage: 1 });
      const check = harness(opossumBreaker(breaker), createManualClock());
      expect((await check.run()).status).toBe('pass');
      await breaker.fire().catch(() => {});
      for (let n = 0; n < 50; n += 1) expect((await check.run()).code).toBe('breaker_open');
      expect(fired).toBe(1);
      expect(breaker.stats.fires).toBe(1);
      breaker.close();
      expect((await check.run()).status).toBe('pass');
      breaker.shutdown();
      expect((await check.run()).code).toBe('breaker_shut_down');
    });
  });
});

describe('cockatielBreaker', () => {
  it.each([
    [0, 'pass', undefined],
    [1, 'fail', 'breaker_open'],
    [2, 'warn', 'breaker_half_open'],
    [3, 'fail', 'breaker_isolated'],
  ])('state %i is %s with whenOpen fail', async (state, status, code) => {
    const outcome = await run(cockatielBreaker({ state }, { whenOpen: 'fail' }));
    expect(outcome.status).toBe(status);
    expect(outcome.code).toBe(code);
  });

  it('warns by default, and an unknown state is no pass', async () => {
    expect((await run(cockatielBreaker({ state: 1 }))).status).toBe('warn');
    expect((await run(cockatielBreaker({ state: 9 }))).status).toBe('fail');
  });

  it('reads the state of the real cockatiel and never executes anything', async () => {
    const breaker = circuitBreaker(handleAll, {
      halfOpenAfter: 600_000,
      breaker: new ConsecutiveBreaker(1),
    });
    const check = harness(cockatielBreaker(breaker), createManualClock());
    expect((await check.run()).status).toBe('pass');
    await breaker.execute(() => Promise.reject(new Error('down'))).catch(() => {});
    for (let n = 0; n < 50; n += 1) expect((await check.run()).code).toBe('breaker_open');
    await expect(breaker.execute(() => 1)).rejects.toThrow(BrokenCircuitError);
    const held = circuitBreaker(handleAll, {
      halfOpenAfter: 600_000,
      breaker: new ConsecutiveBreaker(1),
    });
    const isolation = held.isolate();
    expect((await run(cockatielBreaker(held))).code).toBe('breaker_isolated');
    isolation.dispose();
    expect((await run(cockatielBreaker(held))).status).toBe('pass');
  });
});

it('refuses what is no breaker, and a bad option', () => {
  expect(() => opossumBreaker({} as OpossumBreakerLike)).toThrow(/must be a CircuitBreaker of/);
  expect(() => cockatielBreaker({} as { state: number })).toThrow(/must be a circuit breaker/);
  expect(() => cockatielBreaker({ state: 0 }, { whenOpen: 'pass' as 'warn' })).toThrow(
    /cockatielBreaker.whenOpen must be one of "warn", "fail", got "pass"/,
  );
});
