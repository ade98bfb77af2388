import { type Server, type Socket, connect, createServer } from 'node:net';
import { createUnitFramer } from './unit-framer.js';

/**
 * What clients of the embedded database connect to. The database behind it is one PostgreSQL session
 * that takes turns, so a client that vanishes between the messages of one extended query (parse, bind,
 * execute, sync) would leave its half query to whoever comes next. Here only whole units pass.
 */
export interface SessionFront {
  readonly server: Server;
  /** From now on connections reach the database; before, they are reset. */
  open(databasePort: number): void;
}

const HOST = '127.0.0.1';

function carry(client: Socket, databasePort: number): void {
  const database = connect({ host: HOST, port: databasePort, noDelay: true });
  const framer = createUnitFramer();
  client.on('data', (chunk) => {
    try {
      const { units, refusals } = framer.take(chunk);
      if (refusals > 0) client.write('N'.repeat(refusals));
      if (units.length > 0 && !database.write(units)) client.pause();
    } catch {
      client.resetAndDestroy();
    }
  });
  database.on('drain', () => client.resume());
  database.on('data', (chunk) => {
    if (!client.write(chunk)) database.pause();
  });
  client.on('drain', () => database.resume());
  client.on('error', () => {});
  database.on('error', () => {});
  // Ended, not destroyed: the database must see the units that are under way before the end.
  client.on('close', () => database.resume().end());
  database.on('close', () => client.destroy());
}

/** Creates the front; the caller makes `server` listen. */
export function createSessionFront(): SessionFront {
  let port: number | undefined;
  const server = createServer((client) => {
    client.setNoDelay(true);
    if (port !== undefined) return carry(client, port);
    client.on('error', () => {});
    client.resetAndDestroy();
  });
  return {
    server,
    open(databasePort) {
      port = databasePort;
    },
  };
}
