import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { bundleProgram } from '../program.js';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

const USER = 'hale';

/** A process that speaks MongoDB's wire protocol; `test/support/programs/mongodb-stand-in.ts` says how much of it. */
export interface MongodbStandIn extends ManagedServer {
  readonly user: string;
  readonly password: string;
}

/** A replica set of stand-ins. */
export interface MongodbSet {
  readonly members: readonly MongodbStandIn[];
  /** With all members and the name of the set. */
  readonly url: string;
  /** Makes the members that run agree on a primary, or on there being none. */
  elect(primary: MongodbStandIn | undefined): Promise<void>;
  dispose(): Promise<void>;
}

const NAME = 'rs0';

/** Sends one command to one server, whatever its place in a set. */
async function tell(url: string, command: Record<string, unknown>): Promise<void> {
  const limits = { serverSelectionTimeoutMS: 1_000, connectTimeoutMS: 1_000 };
  const client = new MongoClient(url, { directConnection: true, ...limits });
  try {
    await client.db('admin').command(command, { readPreference: 'nearest' });
  } finally {
    await client.close();
  }
}

let program: Promise<string> | undefined;

/** Bundled once for all servers of a test file; each has a copy in its own folder. */
function programText(): Promise<string> {
  program ??= bundleProgram('mongodb-stand-in').then(async ({ file, remove }) => {
    const text = await readFile(file, 'utf8');
    remove();
    return text;
  });
  return program;
}

/** Starts a stand-in for a MongoDB server on a free port of 127.0.0.1. */
export async function startMongodb(password = randomBytes(12).toString('hex')) {
  const text = await programText();
  const folder = await mkdtemp(join(tmpdir(), 'hale-mongodb-'));
  const file = join(folder, 'server.mjs');
  await writeFile(file, text);
  const url = (port: number) => `mongodb://${USER}:${password}@127.0.0.1:${port}/`;
  const options = JSON.stringify({ user: USER, password });
  const server = await startManagedServer({
    name: 'the stand-in for MongoDB',
    folder,
    stopSignal: 'SIGKILL',
    spawn: (port) =>
      startServerProcess({ file: process.execPath, args: [file, String(port), options], folder }),
    proveReady: (port) => tell(url(port), { ping: 1 }),
    url,
  });
  return Object.defineProperties(server, {
    user: { value: USER },
    password: { value: password },
  }) as MongodbStandIn;
}

/** Starts stand-ins and makes a replica set of them, whose primary is the first. */
export async function startMongodbSet(count: number): Promise<MongodbSet> {
  const password = randomBytes(12).toString('hex');
  const members: MongodbStandIn[] = [];
  for (let each = 0; each < count; each += 1) members.push(await startMongodb(password));
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`);
  const elect = async (primary: MongodbStandIn | undefined) => {
    const joinSet = {
      name: NAME,
      hosts,
      primary: primary === undefined ? null : `127.0.0.1:${primary.port}`,
    };
    await Promise.all(members.map(({ url }) => tell(url, { joinSet }).catch(() => {})));
  };
  await elect(members[0]);
  return {
    members,
    url: `mongodb://${USER}:${password}@${hosts.join(',')}/?replicaSet=${NAME}`,
    elect,
    dispose: async () => void (await Promise.all(members.map((each) => each.dispose()))),
  };
}
