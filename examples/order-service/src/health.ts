import type { Pool } from 'pg';
import { type Health, createHealth } from 'hale';
import { eventLoopDelay } from 'hale/checks/event-loop';
import { httpUpstream } from 'hale/checks/http';
import { postgresPool, postgresQuery } from 'hale/checks/postgres';
import { createCheckClient } from './database/pool.js';
import type { Infrastructure } from './infrastructure.js';
import type { Agreement } from './lease.js';
import type { Log } from './log.js';
import type { Settings } from './settings.js';

/** What this service's health depends on, and how much. */
export function createServiceHealth(
  settings: Settings,
  { databaseUrl, mailUrl }: Pick<Infrastructure, 'databaseUrl' | 'mailUrl'>,
  { pool, permits }: { pool: Pool; permits: Agreement['permits'] },
  log: Log,
): Health {
  return createHealth({
    version: settings.version,
    ...(settings.releaseId === undefined ? {} : { releaseId: settings.releaseId }),
    logger: log,
    ...(permits === undefined ? {} : { mayLeave: permits }),
    checks: {
      database: postgresQuery(() => createCheckClient(databaseUrl), { impact: 'critical' }),
      pool: postgresPool(pool, { impact: 'degraded' }),
      mail: httpUpstream(mailUrl, { impact: 'degraded' }),
      'event-loop': eventLoopDelay({ impact: 'optional' }),
    },
    probes: { port: settings.probePort },
    diagnostic: { port: settings.diagnosticPort },
  });
}
