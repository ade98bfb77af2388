import { afterEach, describe, expect, it } from 'vitest';
import { healthJson } from '../../src/checks/health-json.js';
import { createHealth } from '../../src/create-health.js';
import { silentLogger } from '../../src/core/logger.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { harness } from '../support/run-check.js';

const disposals: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).toReversed()) await dispose();
});

type Checks = NonNullable<NonNullable<Parameters<typeof createHealth>[0]>['checks']>;

async function startService(checks: Checks) {
  const health = createHealth({
    checks,
    isolation: 'inline',
    logger: silentLogger,
    probes: { port: 0, host: '127.0.0.1' },
    diagnostic: { port: 0, host: '127.0.0.1' },
  });
  disposals.push(() => health.dispose());
  const addresses = await health.start();
  health.started();
  const port = (kind: string) => addresses.find((address) => address.kind === kind)?.port ?? 0;
  return {
    health,
    readyz: `http://127.0.0.1:${port('probes')}/readyz`,
    status: `http://127.0.0.1:${port('diagnostic')}/healthz/status`,
  };
}

describe('healthJson against another hale', () => {
  it('R9: the peer fails, this instance stays ready and says so', async () => {
    let down = false;
    const peer = await startService({
      database: {
        intervalMs: 50,
        failureThreshold: 1,
        successThreshold: 1,
        run: () => {
          if (down) throw new Error('down');
        },
      },
    });
    const check = healthJson(peer.status, { failureThreshold: 1, intervalMs: 50 });
    const own = await startService({ peer: check });
    const ready = async () => {
      const response = await fetch(own.readyz);
      return { http: response.status, ...((await response.json()) as object) };
    };
    await expect.poll(ready, { timeout: 10_000 }).toMatchObject({ http: 200, status: 'pass' });
    down = true;
    await expect.poll(ready, { timeout: 10_000 }).toMatchObject({ http: 200, status: 'warn' });
    const outcome = await harness(check, systemClock).run();
    expect(outcome).toMatchObject({ status: 'fail', code: 'peer_fails' });
    expect(outcome.output).toContain('database');
    down = false;
    await expect.poll(ready, { timeout: 10_000 }).toMatchObject({ http: 200, status: 'pass' });
  });
});
