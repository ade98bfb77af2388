import pg from 'pg';
import { createHealth } from '../../../src/create-health.js';
import { postgresGuard } from '../../../src/lease-guards.js';
import type { LeaseGrant } from '../../../src/lease/grant.js';
import { createLease } from '../../../src/lease/keeper.js';
import { STORES, type RegistryAddress } from '../lease-stores.js';

/*
 * A service of which one may run: writes as fast as it can while it holds the lease, into one table that trusts it and
 * into one that is guarded. The registry may be reached through a proxy; the resource never is.
 */
interface Settings {
  readonly registry: RegistryAddress;
  readonly resource: string;
  readonly name: string;
  readonly ttlMs: number;
  readonly marginMs: number;
  /** Never stops, and never asks whether the lease is still held; writes to the guarded table only. */
  readonly blind: boolean;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as Settings;
const { name, ttlMs, marginMs, blind } = settings;
const guard = postgresGuard({ table: 'fences', idleTimeoutMs: 300 });
const pool = new pg.Pool({ connectionString: settings.resource, max: 1 });
const health = createHealth({
  isolation: 'inline',
  probes: { port: 0, host: '127.0.0.1' },
  diagnostic: false,
  // Nothing may end it: what is tried is the guard alone.
  leases: { killSwitch: !blind },
});
const tell = (event: string, more: object = {}): void => void process.send?.({ event, ...more });

async function write(grant: LeaseGrant): Promise<void> {
  const values = [name, String(grant.token)];
  const client = await pool.connect();
  try {
    if (!blind) {
      grant.assertHeld();
      await client.query('INSERT INTO trusted (name, token) VALUES ($1, $2)', values);
    }
    // With its signal, the guard itself would look.
    const { token, holder } = grant;
    await guard.write(client, name, blind ? { token, holder } : grant, async () => {
      await client.query('INSERT INTO guarded (name, token) VALUES ($1, $2)', values);
    });
    client.release();
  } catch (error) {
    // The server ends the connection of a holder that was frozen in the middle of a transaction.
    client.release(error instanceof Error);
    throw error;
  }
}

async function work(grant: LeaseGrant): Promise<void> {
  tell('held', { token: String(grant.token) });
  for (;;) {
    try {
      await write(grant);
    } catch (error) {
      tell(String((error as { code?: string }).code));
      if (!blind) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

pool.on('error', () => {});
pool.on('connect', (client) => void client.on('error', () => {}));
const store = await STORES[settings.registry.backend](settings.registry);
const onHeld = (grant: LeaseGrant): void => void work(grant);
const policy = blind ? ({ onLost: 'pause', fence: () => {} } as const) : {};
const lease = createLease({ store, name, ttlMs, marginMs, onHeld, ...policy });
health.lease(lease);
await health.start();
tell('started', { readiness: health.report().readiness.reason });
// So that what it tells is told, and what it is told is heard: to block its main loop.
process.on('message', ({ blockMs }: { blockMs: number }) => {
  const end = performance.now() + blockMs;
  while (performance.now() < end);
});
