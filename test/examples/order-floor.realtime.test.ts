import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startOrderService } from '../support/order-service.js';

const OPEN_WITHIN_MS = 60_000;

describe('the order service with a floor', () => {
  it('R10: the last copy stays in rotation while the database is down for all', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hale-floor-'));
    const env = {
      LEASE_URL: `sqlite:${path.join(folder, 'leases.db')}`,
      FLOOR: '1',
      INSTANCES: '1',
    };
    const service = await startOrderService({ env });
    try {
      await service.until('/readyz', 200, OPEN_WITHIN_MS);
      await service.fault('database?mode=cut');
      await service.until('/readyz', 'held_by_floor:database', OPEN_WITHIN_MS);
      const { code, body } = await service.probe('/readyz');
      expect([code, body.status]).toEqual([200, 'warn']);
    } finally {
      await service.stop('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
