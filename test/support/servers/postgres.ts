import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findPostgresBin, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type Identity, findIdentity } from './identity.js';
import type { Certificate } from '../certificate.js';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

const run = promisify(execFile);
const USER = 'hale';

/** A real PostgreSQL with password authentication in a temporary folder. */
export interface PostgresServer extends ManagedServer {
  readonly password: string;
}

/** Options of {@link startPostgres}. */
export interface PostgresServerOptions {
  /** Connections the server accepts. @defaultValue 50 */
  maxConnections?: number;
  /** Is a standby that follows this server, with its password. @defaultValue a server with data of its own */
  standbyOf?: PostgresServer;
  /** Speaks TLS, too. @defaultValue no */
  certificate?: Certificate;
}

interface Cluster {
  bin: string;
  folder: string;
  identity: Identity;
  password: string;
}

async function createCluster({ bin, folder, identity, password }: Cluster): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password);
  if (identity !== undefined) {
    for (const path of [folder, passwordFile]) await chown(path, identity.uid, identity.gid);
  }
  const flags = ['--auth=scram-sha-256', '--no-sync', '--locale=C', '--encoding=UTF8'];
  await run(
    join(bin, 'initdb'),
    ['-D', join(folder, 'data'), '-U', USER, `--pwfile=${passwordFile}`, ...flags],
    { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' }, ...identity },
  );
}

/** A copy of the primary's data that follows it from then on. */
async function copyCluster({ bin, folder, identity }: Cluster, primary: string): Promise<void> {
  if (identity !== undefined) await chown(folder, identity.uid, identity.gid);
  const flags = ['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast', '--no-sync'];
  await run(join(bin, 'pg_basebackup'), ['-D', join(folder, 'data'), '-d', primary, ...flags], {
    cwd: folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    ...identity,
  });
}

/** The server refuses a key that others may read. */
async function placeCertificate({ folder, identity }: Cluster, from: Certificate): Promise<void> {
  const files = { 'cert.pem': from.certFile, 'key.pem': from.keyFile };
  for (const [name, source] of Object.entries(files)) {
    const file = join(folder, name);
    await writeFile(file, await readFile(source), { mode: 0o600 });
    if (identity !== undefined) await chown(file, identity.uid, identity.gid);
  }
}

function serverArguments(
  folder: string,
  port: number,
  { maxConnections = 50, certificate }: PostgresServerOptions,
): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: folder,
    max_connections: maxConnections,
    ssl: certificate === undefined ? 'off' : 'on',
    ssl_cert_file: join(folder, 'cert.pem'),
    ssl_key_file: join(folder, 'key.pem'),
    shared_buffers: '16MB',
    fsync: 'off',
    full_page_writes: 'off',
  };
  const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  return ['-D', join(folder, 'data'), ...flags];
}

async function proveAnswer(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Starts a real PostgreSQL on a free port of 127.0.0.1.
 * @throws Error that names what to install when the server's programs are missing
 */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const bin = findPostgresBin();
  if (bin === undefined) throw missingServersError(['postgres']);
  const { standbyOf } = options;
  const password = standbyOf?.password ?? randomBytes(12).toString('hex');
  const identity = await findIdentity('postgres');
  const folder = await mkdtemp(join(tmpdir(), 'hale-pg-'));
  const cluster = { bin, folder, identity, password };
  const created =
    standbyOf === undefined ? createCluster(cluster) : copyCluster(cluster, standbyOf.url);
  await created.catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const { certificate } = options;
  if (certificate !== undefined) await placeCertificate(cluster, certificate);
  const url = (port: number) => `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
  const server = await startManagedServer({
    name: 'PostgreSQL',
    folder,
    // Immediate shutdown: clients see a cut, as in a crash; a restart recovers from the log.
    stopSignal: 'SIGQUIT',
    spawn: (port) =>
      startServerProcess({
        file: join(bin, 'postgres'),
        args: serverArguments(folder, port, options),
        folder,
        ...identity,
      }),
    proveReady: (port) => proveAnswer(url(port)),
    url,
  });
  return Object.defineProperty(server, 'password', { value: password }) as PostgresServer;
}
