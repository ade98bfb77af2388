import type { LeaseStore } from '../../core/lease-store.js';
import { functionOption, objectOption } from '../../core/validate.js';
import { parseLeaseUrl } from './lease-url.js';
import { type LoadClient, loadFromHere } from './load-client.js';
import { OPENERS, type SchemeOpener } from './openers.js';

/** Options of {@link leaseStoreFromUrl}. */
export interface LeaseUrlOptions {
  /**
   * Loads the client package that a URL needs: `(name) => import(name)` looks for it beside the calling module.
   * @defaultValue what is installed where the process was started
   */
  load?: LoadClient;
}

/**
 * Makes the store that a URL names, with a client that is installed in the project; nothing is connected yet. For
 * settings that a URL cannot hold, call the store's own function with a client of yours.
 *
 * `memory:` · `sqlite:./leases.db` (node:sqlite, or better-sqlite3, or libsql) · `postgres://…` (pg) · `redis://…`,
 * `rediss://…` (ioredis, or redis) · `etcd+http://host:2379`, `etcd+https://…` · `nats://…` (@nats-io/transport-node and
 * @nats-io/kv, or nats 2) · `zookeeper://one:2181,two:2181` (node-zookeeper-client) · `consul+http://:token@host:8500` ·
 * `kubernetes:namespace`. The parameters `table`, `prefix` and `bucket` are options of the store; what else stands in the
 * URL is the client's.
 * @throws OptionError for a URL that names no store; its text does not hold the URL
 * @throws HaleError `HALE_CLIENT_MISSING` when no client for it is installed, naming what to install
 */
export async function leaseStoreFromUrl(
  url: string,
  options: LeaseUrlOptions = {},
): Promise<LeaseStore> {
  const { load = loadFromHere } = objectOption('leaseStoreFromUrl', options);
  functionOption('leaseStoreFromUrl.load', load);
  const own = Object.fromEntries(
    Object.entries(OPENERS).map(([scheme, each]) => [scheme, each.own]),
  );
  const parsed = parseLeaseUrl(url, own);
  return (OPENERS[parsed.scheme] as SchemeOpener).open(parsed, load);
}

export type { LoadClient } from './load-client.js';
