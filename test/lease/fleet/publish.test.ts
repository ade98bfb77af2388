import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createFleet, publishInstance } from '../../../src/fleet.js';
import { type Health, createHealth } from '../../../src/index.js';
import { silentLogger } from '../../../src/core/logger.js';
import { createLease } from '../../../src/lease/keeper.js';
import {
  INSTANCE_DATA_SCHEMA,
  instanceData,
  parseInstanceData,
} from '../../../src/lease/fleet/instance-data.js';
import { memoryLease } from '../../../src/lease/stores/memory.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';

let health: Health | undefined;

afterEach(async () => {
  await health?.dispose();
});

describe('publishInstance', () => {
  it('H7: lets observers read readiness with its reason, as of the last renewal', async () => {
    const clock = createManualClock();
    let down = false;
    health = createHealth({
      ...{ clock, random: () => 0, logger: silentLogger, isolation: 'inline', signals: false },
      ...{ probes: { port: 0, host: '127.0.0.1' }, diagnostic: false, env: {} },
      checks: {
        database: {
          run: () => (down ? Promise.reject(new Error('secret of the driver')) : undefined),
          ...{ intervalMs: 1000, failureThreshold: 1, successThreshold: 1 },
        },
      },
    });
    const store = memoryLease();
    const lease = createLease({ store, name: 'orders/a', impact: 'optional' });
    health.lease(lease);
    const end = publishInstance(health, lease, { version: '1.4.2', releaseId: '8f2c1d9' });
    const fleet = createFleet({ store, clock, logger: silentLogger });
    await health.start();
    await clock.advance(15_000);
    const info = () => fleet.list()[0]?.info;
    expect(info()).toMatchObject({
      ...{ version: '1.4.2', releaseId: '8f2c1d9', phase: 'running' },
      ...{ status: 'pass', reason: 'ok' },
    });
    expect(info()?.startedAt).toMatch(/^\d{4}-\d\d-\d\dT/);
    down = true;
    await clock.advance(15_000);
    expect(info()).toMatchObject({ status: 'fail', reason: 'check_failed:database' });
    expect(JSON.stringify(info())).not.toContain('secret');
    end();
    down = false;
    await clock.advance(15_000);
    expect(info()).toMatchObject({ status: 'fail' });
    await fleet.close();
  });

  it.each([
    [{}, {}, {}, /publishInstance \(a health\): report/],
    [{ report() {} }, {}, {}, /publishInstance \(a health\): onChange/],
    [{ report() {}, onChange() {} }, {}, {}, /publishInstance \(a lease\): update/],
    [
      { report() {}, onChange() {} },
      { update() {} },
      { version: '' },
      /version must be a text of 1 to 1024/,
    ],
  ])('refuses %o with %o and %o', (given, lease, options, message) => {
    expect(() => publishInstance(given as never, lease as never, options)).toThrow(message);
  });
});

describe('the data of an instance', () => {
  it('H7: comes back as it was, with the number of its schema', () => {
    const info = { version: '1', phase: 'running', status: 'warn', reason: 'ok' } as const;
    expect(JSON.parse(instanceData(info))).toEqual({ hale: INSTANCE_DATA_SCHEMA, ...info });
    expect(parseInstanceData(instanceData(info))).toEqual(info);
  });

  it('H7: fits into a lease, whatever the texts are', () => {
    const text = fc.string({ minLength: 0, maxLength: 1024, unit: 'binary' });
    fc.assert(
      fc.property(text, text, text, (version, releaseId, reason) => {
        const data = instanceData({ version, releaseId, reason, phase: 'running', status: 'fail' });
        expect(data.length).toBeLessThanOrEqual(4096);
        expect(parseInstanceData(data).phase).toBe('running');
      }),
    );
  });

  it('H7: is read without a fault, whoever wrote it', () => {
    for (const data of ['', 'null', '[]', '7', '{', '{"phase":"running"}', '{"hale":"1"}'])
      expect(parseInstanceData(data)).toEqual({});
    const strange = {
      hale: 9,
      phase: 'x',
      status: 1,
      version: {},
      reason: 'r'.repeat(999),
      more: 1,
    };
    expect(parseInstanceData(JSON.stringify(strange))).toEqual({ reason: 'r'.repeat(200) });
    fc.assert(
      fc.property(fc.json(), (data) => {
        expect(typeof parseInstanceData(data)).toBe('object');
      }),
    );
  });
});
