import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mysql from 'mysql2/promise';
import { findMariadb, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type Identity, findIdentity } from './identity.js';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

const run = promisify(execFile);
const USER = 'hale';

/** A real MariaDB with a user and a password in a temporary folder. */
export interface MariadbServer extends ManagedServer {
  readonly user: string;
  readonly password: string;
}

/** Settings of the server, such as `{ 'server-id': 2 }`. */
export type MariadbSettings = Readonly<Record<string, string | number>>;

interface Files {
  readonly folder: string;
  readonly data: string;
  readonly init: string;
}

async function createData(
  install: string,
  { folder, data, init }: Files,
  identity: Identity,
  password: string,
): Promise<void> {
  const user = `'${USER}'@'%'`;
  // Runs at every start.
  const statements = [
    `CREATE USER IF NOT EXISTS ${user} IDENTIFIED BY '${password}';`,
    `GRANT ALL ON *.* TO ${user} WITH GRANT OPTION;`,
    'CREATE DATABASE IF NOT EXISTS hale;',
  ];
  await writeFile(init, statements.join('\n'));
  if (identity !== undefined) {
    for (const path of [folder, init]) await chown(path, identity.uid, identity.gid);
  }
  const flags = [
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    '--skip-name-resolve',
  ];
  await run(install, ['--no-defaults', `--datadir=${data}`, ...flags], {
    cwd: folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    ...identity,
  });
}

function serverArguments({ folder, data, init }: Files, port: number, more: MariadbSettings) {
  const settings = {
    datadir: data,
    'bind-address': '127.0.0.1',
    port,
    socket: join(folder, 'socket'),
    'pid-file': join(folder, 'pid'),
    'init-file': init,
    'max-connections': 50,
    'innodb-buffer-pool-size': '16M',
    'innodb-flush-log-at-trx-commit': 0,
    'key-buffer-size': '1M',
    tmpdir: folder,
    ...more,
  };
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  return ['--no-defaults', '--skip-name-resolve', ...flags];
}

async function proveAnswer(uri: string): Promise<void> {
  const connection = await mysql.createConnection({ uri, connectTimeout: 1_000 });
  try {
    await connection.query('SELECT 1');
  } finally {
    connection.destroy();
  }
}

/**
 * Starts a real MariaDB on a free port of 127.0.0.1.
 * @throws Error that names what to install when the server's programs are missing
 */
export async function startMariadb(settings: MariadbSettings = {}): Promise<MariadbServer> {
  const found = findMariadb();
  if (found === undefined) throw missingServersError(['mariadb']);
  const password = randomBytes(12).toString('hex');
  const identity = await findIdentity('mysql');
  const folder = await mkdtemp(join(tmpdir(), 'hale-mariadb-'));
  const files = { folder, data: join(folder, 'data'), init: join(folder, 'init.sql') };
  await createData(found.install, files, identity, password).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const url = (port: number) => `mysql://${USER}:${password}@127.0.0.1:${port}/hale`;
  const server = await startManagedServer({
    name: 'MariaDB',
    folder,
    // As in a crash; a restart recovers from the log.
    stopSignal: 'SIGKILL',
    spawn: (port) =>
      startServerProcess({
        file: found.server,
        args: serverArguments(files, port, settings),
        folder,
        ...identity,
      }),
    proveReady: (port) => proveAnswer(url(port)),
    url,
  });
  return Object.defineProperties(server, {
    user: { value: USER },
    password: { value: password },
  }) as MariadbServer;
}
