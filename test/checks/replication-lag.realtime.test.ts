import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { POSTGRES_REPLICATION_LAG, replicationLag } from '../../src/checks/replication-lag.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { harness } from '../support/run-check.js';
import { startPostgres } from '../support/servers/postgres.js';

describe('replicationLag with the statement for PostgreSQL', () => {
  it('a real primary has no lag', async () => {
    const server = await startPostgres();
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => {});
    try {
      await client.connect();
      const read = async () => {
        const { rows } = await client.query<{ seconds: number }>(POSTGRES_REPLICATION_LAG);
        return rows[0]?.seconds;
      };
      expect(await harness(replicationLag(read), systemClock).run()).toMatchObject({
        status: 'pass',
        observedValue: 0,
      });
    } finally {
      await client.end().catch(() => {});
      await server.dispose();
    }
  });
});
