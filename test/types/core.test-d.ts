import { assertType, describe, expectTypeOf, it } from 'vitest';
import type { Check, CheckResult, CheckRun } from '../../src/core/check.js';
import type { GuardOptions, GuardPredicate } from '../../src/core/guard.js';
import type { HealthOptions } from '../../src/core/health-options.js';
import type { LivenessInput } from '../../src/core/liveness.js';
import type { Reason } from '../../src/core/reason.js';

describe('guards', () => {
  it('L2: a synchronous predicate is a guard', () => {
    assertType<GuardPredicate>(() => true);
    assertType<HealthOptions>({ liveness: { guards: { memory: () => true } } });
    assertType<GuardOptions>({ isSound: () => false, samples: 2, everyMs: 1000 });
  });

  it('L2: an asynchronous function is none', () => {
    // @ts-expect-error a promise is no boolean
    assertType<GuardPredicate>(async () => true);
    // @ts-expect-error a promise is no boolean
    assertType<GuardOptions>({ isSound: async () => true });
    // @ts-expect-error a promise is no boolean
    assertType<HealthOptions>({ liveness: { guards: { database: async () => true } } });
    expectTypeOf<CheckRun>().not.toExtend<GuardPredicate>();
    expectTypeOf<Check>().not.toExtend<GuardOptions>();
  });

  it('L1: there is no way to hand liveness a check or a phase', () => {
    expectTypeOf<keyof LivenessInput>().toEqualTypeOf<
      'gates' | 'failingGuards' | 'loopStalled' | 'stalledProgress'
    >();
    expectTypeOf<keyof LivenessInput['gates']>().toEqualTypeOf<'fatal'>();
  });
});

describe('checks', () => {
  it('C1: a plain asynchronous function is a check', () => {
    assertType<CheckRun>(async () => {});
    assertType<CheckRun>(async (signal) => {
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      await fetch('http://127.0.0.1/', { signal });
    });
    assertType<HealthOptions>({
      checks: { mail: async () => {}, cache: { run: () => undefined } },
    });
  });

  it('C1: a result has the shapes of CheckResult and no others', () => {
    assertType<CheckRun>(async () => ({ status: 'warn', code: 'pool_busy' }));
    assertType<CheckRun>(() => ({ observedValue: { used: 3, names: ['a'] }, observedUnit: 'x' }));
    assertType<CheckResult>({});
    // @ts-expect-error no status
    assertType<CheckRun>(async () => ({ status: 'ok' }));
    // @ts-expect-error an HTTP status is none
    assertType<CheckRun>((signal) => fetch('http://127.0.0.1/', { signal }));
    // @ts-expect-error a text is no result
    assertType<CheckRun>(async () => 'PONG');
    // @ts-expect-error a truth value is no result
    assertType<CheckRun>(async () => false);
    // @ts-expect-error the output is one text
    assertType<CheckResult>({ output: ['a'] });
    // @ts-expect-error a function cannot be observed
    assertType<CheckResult>({ observedValue: () => 5 });
  });

  it('R4: the impact is one of three words', () => {
    expectTypeOf<Check['impact']>().toEqualTypeOf<
      'critical' | 'degraded' | 'optional' | undefined
    >();
  });
});

describe('reasons', () => {
  it('R1: are a known code, alone or with a name', () => {
    assertType<Reason>('check_failed:database');
    assertType<Reason>('ok');
    // @ts-expect-error no such code
    assertType<Reason>('broken');
    // @ts-expect-error no such code
    assertType<Reason>('broken:database');
  });
});
