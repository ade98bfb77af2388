import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHealth } from '../../../src/create-health.js';
import type { Health } from '../../../src/health.js';
import { exitPermits } from '../../../src/lease/permits/index.js';
import { redisLease } from '../../../src/lease/stores/redis.js';
import { eventually } from '../../support/program.js';
import { startRedis } from '../../support/servers/redis.js';

const COUNT = 20;
const healths: Health[] = [];
let redis: Awaited<ReturnType<typeof startRedis>>;

beforeAll(async () => {
  redis = await startRedis();
});
afterEach(async () => {
  await Promise.all(healths.splice(0).map((health) => health.dispose()));
});
afterAll(() => redis?.dispose());

describe('a floor of instances on a real registry', () => {
  it('R10: of 20 instances with a floor of 30 %, 6 stay at every instant, and all come back', async () => {
    const shared = { up: true };
    const inRotation = new Set<Health>();
    let fewest = COUNT;
    for (let index = 0; index < COUNT; index += 1) {
      const health = createHealth({
        ...{ env: {}, isolation: 'inline', probes: false, diagnostic: false, signals: false },
        logger: { info() {}, warn() {}, error() {} },
        checkDefaults: { intervalMs: 500, timeoutMs: 400 },
        checks: {
          database() {
            if (!shared.up) throw new Error('connection refused');
          },
        },
        mayLeave: exitPermits({
          store: redisLease(() => new Redis(redis.url, { lazyConnect: true })),
          service: 'orders',
          instances: COUNT,
          floor: 0.3,
          keepMs: 200,
        }),
      });
      health.onChange((change) => {
        if (change.kind !== 'readiness') return;
        if (change.to.status === 'fail') inRotation.delete(health);
        else inRotation.add(health);
        fewest = Math.min(fewest, inRotation.size);
      });
      healths.push(health);
    }
    await Promise.all(healths.map((health) => health.start()));
    const until = (count: number) =>
      eventually(
        `${count} in rotation`,
        async () => (inRotation.size === count ? true : undefined),
        20_000,
        () => String(inRotation.size),
      );
    await until(COUNT);
    fewest = COUNT;
    shared.up = false;
    await until(6);
    shared.up = true;
    await until(COUNT);
    expect(fewest).toBe(6);
  }, 60_000);
});
