/** The embedded database's own process; started by `embedded.ts`, ends with the process that did. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import path from 'node:path';
import { fillDataDirectory } from './data-directory.js';
import { createSessionFront } from './session-front.js';

// Below the usual ephemeral range: while the database is down, whoever keeps connecting to its port
// could otherwise connect to itself and so take the port.
const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;
const ATTEMPTS = 20;
const HOST = '127.0.0.1';
const MAX_CONNECTIONS = 64;

const [folder = '', wantedPort = '0'] = process.argv.slice(2);

async function listen(server: Server, port: number): Promise<void> {
  server.listen({ host: HOST, port });
  await once(server, 'listening');
}

async function listenBelowEphemeral(server: Server): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listen(server, FIRST_PORT + Math.floor(Math.random() * PORT_COUNT));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === ATTEMPTS)
        throw error;
    }
  }
}

process.on('disconnect', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
// Ctrl-C, a closed terminal and service managers signal the whole group; the service still drains
// through the database and ends it afterwards.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const front = createSessionFront();
if (wantedPort === '0') await listenBelowEphemeral(front.server);
else await listen(front.server, Number(wantedPort));
process.send?.({ kind: 'listening', port: (front.server.address() as AddressInfo).port });

const { PGlite } = await import('@electric-sql/pglite');
const { PGLiteSocketServer } = await import('@electric-sql/pglite-socket');
const dataDir = path.join(folder, 'data');
await fillDataDirectory(dataDir, async (template) => (await PGlite.create(template)).close());
const db = await PGlite.create(dataDir, { relaxedDurability: true });
const inner = new PGLiteSocketServer({ db, host: HOST, port: 0, maxConnections: MAX_CONNECTIONS });
await inner.start();
front.open(Number(inner.getServerConn().split(':').at(-1)));
process.send?.({ kind: 'open' });
