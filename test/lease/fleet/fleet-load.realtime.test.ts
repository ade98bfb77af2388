import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bundleProgram, startProgram } from '../../support/program.js';

const SETTLE_MS = 10_500;
const MEASURE_MS = 12_000;

describe('a fleet of 10,000 instances that renew every 10 s', () => {
  it('H7: costs its observer less than 60 MB and a tenth of a core', async () => {
    const { file, remove } = await bundleProgram('fleet-observer');
    const program = startProgram(file, { execArgv: ['--expose-gc'] });
    try {
      await program.message('ready', 20_000);
      // Every instance has renewed once.
      await delay(SETTLE_MS);
      program.send({ command: 'begin' });
      await delay(MEASURE_MS);
      program.send({ command: 'measure' });
      const measured = await program.message('measured', 5000);
      const { heapMb, rssMb, cpuShare, before, events, view, renewals } = measured as {
        heapMb: number;
        rssMb: number;
        cpuShare: number;
        renewals: number;
        before: { rssMb: number };
        events: Record<string, number>;
        view: { counts: object };
      };
      expect(renewals).toBeGreaterThan(15_000);
      expect(view.counts).toEqual({ up: 10_000, suspect: 0, down: 0, unknown: 0 });
      expect(events).toEqual({ joined: 10_000, registry_back: 1 });
      // The registry and the leases of the test are in it.
      expect(heapMb).toBeLessThan(60);
      expect(rssMb - before.rssMb).toBeLessThan(60);
      // The renewals, which are not the observer's, are counted with it.
      expect(cpuShare).toBeLessThan(0.1);
    } finally {
      await program.stop();
      remove();
    }
  });
});
