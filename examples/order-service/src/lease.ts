import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isHaleError } from 'hale';
import { type Lease, type LeaseStore, createLease } from 'hale/lease';
import { memoryLease } from 'hale/lease/memory';
import { type ExitPermits, exitPermits } from 'hale/lease/permits';
import { leaseStoreFromUrl } from 'hale/lease/url';
import type { Log } from './log.js';
import type { Settings } from './settings.js';

export type { LeaseStore };

const CACHE = fileURLToPath(new URL('../node_modules/.cache/order-service/', import.meta.url));

// Beside this module, not where the process was started.
const load = (name: string): Promise<unknown> => import(name);

/** What copies agree about in their registry. */
export interface Agreement {
  /** Of several copies with the same name and registry, one is ready and may write. */
  readonly lease: Lease;
  /** Permits to leave rotation because of what all copies need; absent unless a floor is set. */
  readonly permits: ExitPermits | undefined;
}

/** @throws HaleError when `LEASE_URL` names no registry, or its client is not installed. */
export async function createAgreement(
  { lease: { url, name, ttlMs }, floor }: Pick<Settings, 'lease' | 'floor'>,
  byDefault: () => Promise<LeaseStore>,
): Promise<Agreement> {
  const store = url === undefined ? await byDefault() : await leaseStoreFromUrl(url, { load });
  return {
    lease: createLease({ store, name, ...(ttlMs === undefined ? {} : { ttlMs }) }),
    permits: floor && exitPermits({ store, service: 'orders', ...floor }),
  };
}

/** A SQLite file that all copies of this machine share; without a client for it, memory. */
export async function fileStore(log: Log, folder = CACHE): Promise<LeaseStore> {
  try {
    await mkdir(folder, { recursive: true });
    return await leaseStoreFromUrl(`sqlite:${path.join(folder, 'leases.db')}`, { load });
  } catch (error) {
    const why = isHaleError(error) ? error.message : 'its folder cannot be written';
    log.warn({ event: 'lease_in_memory' }, `no lease in a SQLite file: ${why}`);
    return memoryLease();
  }
}

/** This process alone: for a copy that nobody told of a registry. */
export function memoryStore(log: Log): Promise<LeaseStore> {
  log.warn(
    { event: 'lease_in_memory' },
    'LEASE_URL is not set: this copy does not know of others, and each believes to be the one',
  );
  return Promise.resolve(memoryLease());
}
