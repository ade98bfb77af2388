import mysql from 'mysql';
import mysql2 from 'mysql2';
import { afterAll, beforeAll, describe } from 'vitest';
import { type MysqlConnectionLike, mysqlQuery } from '../../src/checks/mysql.js';
import { itConforms } from '../support/conformance.js';
import { type MariadbServer, startMariadb } from '../support/servers/mariadb.js';

let server: MariadbServer;
beforeAll(async () => {
  server = await startMariadb();
});
afterAll(() => server.dispose());

interface Config {
  host: string;
  port: number;
  user: string;
  password: string;
}

const DRIVERS: [string, (config: Config) => MysqlConnectionLike][] = [
  ['mysql2', (config) => mysql2.createConnection(config)],
  ['mysql', (config) => mysql.createConnection(config)],
];

describe.each(DRIVERS)('mysqlQuery with %s against a real MariaDB', (driver, connect) => {
  itConforms({
    name: `mysqlQuery with ${driver}`,
    server: () => server,
    secrets: () => [server.password],
    createSubject: ({ host, port, password }) => {
      const config = { host, port, user: server.user };
      return mysqlQuery(() => connect({ ...config, password: password(server.password) }));
    },
  });
});
