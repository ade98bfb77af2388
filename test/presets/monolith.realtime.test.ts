import { describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import { monolithPreset } from '../../src/presets/index.js';
import { createLog } from '../engine/support.js';

describe('the preset for one machine', () => {
  it('E3, E4: probes with details on loopback only, and an end without a delay', async () => {
    const health = createHealth({
      ...monolithPreset,
      probes: { ...monolithPreset.probes, port: 0 },
      diagnostic: { ...monolithPreset.diagnostic, port: 0 },
      env: {},
      signals: false,
      logger: createLog().logger,
      checks: { database() {} },
    });
    const addresses = await health.start();
    expect(addresses.map(({ host }) => host)).toEqual(['127.0.0.1', '127.0.0.1']);
    await health.untilReady();
    const port = addresses.find(({ kind }) => kind === 'probes')?.port;
    const answer = await fetch(`http://127.0.0.1:${port}/readyz?verbose`);
    expect([answer.status, await answer.json()]).toMatchObject([200, { checks: { database: {} } }]);
    const { exitCode, durationMs } = await health.shutdown();
    expect(exitCode).toBe(0);
    expect(durationMs).toBeLessThan(1000);
    await health.dispose();
  });
});
