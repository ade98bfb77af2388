import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { createPool } from './database/pool.js';
import { createServiceHealth } from './health.js';
import type { Infrastructure } from './infrastructure.js';
import type { Agreement } from './lease.js';
import type { Log } from './log.js';
import { createMailer } from './mail/mailer.js';
import { createOrderStore } from './orders/order-store.js';
import { type Relay, startRelay } from './panel/relay.js';
import { type Addresses, httpUrl } from './ready.js';
import { createSchemaEventually } from './schema-task.js';
import type { Settings } from './settings.js';

/**
 * Starts the service on its infrastructure, reachable database or not.
 * @returns Where everything listens.
 */
export async function startService(
  settings: Settings,
  infrastructure: Infrastructure,
  { lease, permits }: Agreement,
  log: Log,
): Promise<Addresses> {
  const pool = createPool(infrastructure.databaseUrl, log);
  const store = createOrderStore(pool, lease);
  const mailer = createMailer(infrastructure.mailUrl, log);
  const health = createServiceHealth(settings, infrastructure, { pool, permits }, log);
  const ending = new AbortController();

  // Not ready before it is held; released last, for the next copy to begin at once.
  health.lease(lease);
  const bound = await health.start();
  const schema = health.startupTask('schema');
  const boundAs = (kind: 'probes' | 'diagnostic') => {
    const address = bound.find((candidate) => candidate.kind === kind);
    return address === undefined ? '' : httpUrl(address.host, address.port);
  };

  const { faults } = infrastructure;
  const { host, relayPort: port } = settings;
  const relay: Relay | undefined =
    faults && (await startRelay({ host, port, probes: boundAs('probes') }));
  const drain = () => void health.shutdown('fault panel');
  const demo = faults && relay && { faults, relayPort: relay.port, drain };
  const app = await createApp({ log, store, mailer, ...(demo && { demo }) });

  health.drains(app.server);
  // Ended in reverse: what others stand on comes last.
  health.onShutdown('infrastructure', () => infrastructure.stop());
  health.onShutdown('panel relay', () => relay?.stop());
  health.onShutdown('database pool', () => pool.end());
  health.onShutdown('schema task', () => ending.abort());
  health.onShutdown('application', () => app.close());

  await app.listen({ host: settings.host, port: settings.port });
  void createSchemaEventually(store, log, ending.signal).then((created) => {
    if (created) schema.done();
  });
  return {
    app: httpUrl(settings.host, (app.server.address() as AddressInfo).port),
    probes: boundAs('probes'),
    diagnostic: boundAs('diagnostic'),
    faultProxy: infrastructure.faultProxy,
    database: infrastructure.database,
    mail: infrastructure.mailUrl,
    panelRelay: relay === undefined ? null : httpUrl(settings.host, relay.port),
    databasePid: infrastructure.databasePid,
    pid: process.pid,
  };
}
