import { describe, expectTypeOf, it } from 'vitest';
import { type ConsulHealthSource, type ConsulReporter, reportToConsul } from '../../src/consul.js';
import type { Health } from '../../src/index.js';

declare const health: Health;

describe('reportToConsul', () => {
  it('takes a health and the fetch of the platform', () => {
    expectTypeOf<Health>().toExtend<ConsulHealthSource>();
    const reporter = reportToConsul(health, { checkId: 'service:orders', ttlMs: 30_000, fetch });
    expectTypeOf(reporter).toEqualTypeOf<ConsulReporter>();
    // @ts-expect-error a check without a time to live is no TTL check
    reportToConsul(health, { checkId: 'service:orders' });
  });
});
