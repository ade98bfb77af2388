import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient as MongoClient7 } from 'mongodb';
import { MongoClient as MongoClient5 } from 'mongodb5';
import { MongoClient as MongoClient6 } from 'mongodb6';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type MongoClientLike,
  type MongoPoolsLike,
  mongodbPing,
  mongodbPool,
  mongoosePing,
} from '../../src/checks/mongodb.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { itConforms } from '../support/conformance.js';
import { harness } from '../support/run-check.js';
import {
  type MongodbSet,
  type MongodbStandIn,
  startMongodb,
  startMongodbSet,
} from '../support/servers/mongodb.js';

const TIMEOUT_MS = 400;
const NEVER = new AbortController().signal;

// What a service should set as well: by default the driver looks for a lost server every ten seconds, gives each attempt
// to connect thirty, and closing waits thirty for a server to say goodbye to.
const LIMITS = {
  heartbeatFrequencyMS: 500,
  connectTimeoutMS: 500,
  serverSelectionTimeoutMS: 1_000,
  // For driver 5, which gives nothing up on a signal.
  socketTimeoutMS: 1_000,
};

let server: MongodbStandIn;
let set: MongodbSet;
const open: (() => unknown)[] = [];

beforeAll(async () => {
  [server, set] = await Promise.all([startMongodb(), startMongodbSet(2)]);
});

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

afterAll(async () => {
  await Promise.all([server.dispose(), set.dispose()]);
});

type Client = MongoClientLike & {
  connect(): Promise<unknown>;
  close(force?: boolean): Promise<unknown>;
};

/** What every service must do: a client whose first attempt fails makes no other by itself. */
function untilConnected(connect: () => Promise<unknown>): () => Promise<unknown> {
  let isWanted = true;
  const attempt = async (): Promise<unknown> => {
    try {
      return await connect();
    } catch {
      await delay(200);
      return isWanted ? attempt() : undefined;
    }
  };
  const connected = attempt();
  return () => {
    isWanted = false;
    return connected;
  };
}

const DRIVERS: [string, (url: string) => Client][] = [
  ['mongodb 5', (url) => new MongoClient5(url, LIMITS)],
  ['mongodb 6', (url) => new MongoClient6(url, LIMITS)],
  ['mongodb 7', (url) => new MongoClient7(url, LIMITS)],
];

// The oldest driver, which knows no signal, and the newest. Each case takes seconds.
describe.each([
  { name: 'mongodb 5', create: DRIVERS[0]?.[1] },
  { name: 'mongodb 7', create: DRIVERS[2]?.[1] },
])('mongodbPing with $name before a process that speaks its protocol', ({ name, create }) => {
  itConforms({
    name: `mongodbPing with ${name}`,
    server: () => server,
    secrets: () => [server.password],
    createSubject: ({ host, port, password }) => {
      const login = `${server.user}:${password(server.password)}`;
      const client = create?.(`mongodb://${login}@${host}:${port}/`) as Client;
      const stop = untilConnected(() => client.connect());
      return { check: mongodbPing(client), close: () => stop().then(() => client.close(true)) };
    },
    // One watches the server, one asks, and one is put in the place of one that was cut.
    heldConnections: 3,
  });
});

describe.each(DRIVERS)('mongodbPing with %s before a replica set', (_, create) => {
  it('case 31: an election warns, then fails, and passes with the new primary', async () => {
    const [first, second] = set.members as [MongodbStandIn, MongodbStandIn];
    await set.elect(first);
    const client = create(set.url);
    open.push(() => client.close(true));
    const check = harness(mongodbPing(client, { noPrimaryFailMs: 300 }), systemClock, TIMEOUT_MS);
    await vi.waitFor(async () => expect((await check.run()).status).toBe('pass'), 5_000);
    await set.elect(undefined);
    const outcome = await check.run();
    expect(outcome).toMatchObject({
      status: 'warn',
      code: 'no_primary',
      output: 'the replica set rs0 has no primary',
    });
    await vi.waitFor(
      async () => expect(await check.run()).toMatchObject({ status: 'fail', code: 'no_primary' }),
      5_000,
    );
    await set.elect(second);
    await vi.waitFor(async () => expect((await check.run()).status).toBe('pass'), 5_000);
  });

  it('S4: a client whose first attempt to connect failed says so until it is told to connect again', async () => {
    const [first, second] = set.members as [MongodbStandIn, MongodbStandIn];
    await set.elect(first);
    await Promise.all([first.stop(), second.stop()]);
    open.push(() => Promise.all([first.start(), second.start()]));
    const client = create(set.url);
    open.push(() => client.close(true));
    const check = harness(mongodbPing(client), systemClock, TIMEOUT_MS);
    await vi.waitFor(
      async () =>
        expect(await check.run()).toMatchObject({ status: 'fail', code: 'client_closed' }),
      5_000,
    );
    await Promise.all([first.start(), second.start()]);
    expect((await check.run()).code).toBe('client_closed');
    await client.connect();
    expect((await check.run()).status).toBe('pass');
    await client.close();
    expect((await check.run()).status).toBe('fail');
  });

  it('case 31: the primary is gone and nobody is elected: says so, by the member that is left', async () => {
    const [first] = set.members as [MongodbStandIn];
    await set.elect(first);
    const client = create(set.url);
    open.push(() => client.close(true));
    const check = harness(mongodbPing(client), systemClock, TIMEOUT_MS);
    await vi.waitFor(async () => expect((await check.run()).status).toBe('pass'), 5_000);
    await first.stop();
    open.push(() => first.start());
    await set.elect(undefined);
    await vi.waitFor(
      async () => expect(await check.run()).toMatchObject({ status: 'warn', code: 'no_primary' }),
      5_000,
    );
  });
});

describe('mongodbPool', () => {
  const CLIENTS = [
    { name: 'mongodb 5', open: (url: string) => new MongoClient5(url, { maxPoolSize: 2 }) },
    { name: 'mongodb 6', open: (url: string) => new MongoClient6(url, { maxPoolSize: 2 }) },
    { name: 'mongodb 7', open: (url: string) => new MongoClient7(url, { maxPoolSize: 2 }) },
  ];

  it.each(CLIENTS)(
    'C8: with $name: slow commands are a warning, none coming back is a failure',
    async (driver) => {
      const client: Client & MongoPoolsLike = driver.open(server.url);
      open.push(() => client.close(true));
      const check = harness(mongodbPool(client, { noReturnFailMs: 400 }), systemClock, TIMEOUT_MS);
      open.push(() => check.dispose());
      expect(await check.run()).toMatchObject({ status: 'pass', observedValue: { total: 0 } });
      const sleep = (millis: number) =>
        client
          .db('admin')
          .command({ sleep: 1, millis }, { readPreference: 'primaryPreferred', signal: NEVER });
      await sleep(1);
      const slow = Promise.all(Array.from({ length: 10 }, () => sleep(150)));
      const statuses = new Set<string>();
      await vi.waitFor(async () => expect((await check.run()).status).toBe('warn'));
      for (;;) {
        const outcome = await check.run();
        if ((outcome.observedValue as { waiting: number }).waiting === 0) break;
        statuses.add(outcome.status);
        await delay(40);
      }
      await slow;
      expect([...statuses]).toEqual(['warn']);
      expect((await check.run()).status).toBe('pass');
      const held = Promise.all([sleep(1_000), sleep(1_000), sleep(1)]);
      await vi.waitFor(
        async () =>
          expect(await check.run()).toMatchObject({ status: 'fail', code: 'pool_exhausted' }),
        2_000,
      );
      await held;
      expect((await check.run()).status).toBe('pass');
    },
  );
});

interface AnyMongoose {
  connect(url: string, options: typeof LIMITS): Promise<unknown>;
  disconnect(): Promise<unknown>;
  readonly connection: {
    getClient(): MongoClientLike;
    readonly readyState: number;
    close(force?: boolean): Promise<unknown>;
  };
}

// The types of mongoose know no other name of the package.
const require = createRequire(import.meta.url);

function newMongoose(name: string): AnyMongoose {
  const { Mongoose } = require(name) as { Mongoose: new () => AnyMongoose };
  return new Mongoose();
}

describe('mongoosePing with mongoose 9 before a process that speaks its protocol', () => {
  itConforms({
    name: 'mongoosePing with mongoose 9',
    server: () => server,
    secrets: () => [server.password],
    createSubject: ({ host, port, password }) => {
      const mongoose = newMongoose('mongoose');
      const login = `${server.user}:${password(server.password)}`;
      const stop = untilConnected(() =>
        mongoose.connect(`mongodb://${login}@${host}:${port}/`, LIMITS),
      );
      return {
        check: mongoosePing(mongoose.connection),
        close: () => stop().then(() => mongoose.connection.close(true)),
      };
    },
    // As for mongodbPing.
    heldConnections: 3,
  });
});

const MONGOOSES = ['mongoose7', 'mongoose8', 'mongoose'];

describe.each(MONGOOSES)('mongoosePing with %s', (name) => {
  it('case 31: fails before it is connected, passes, and fails on a frozen server it still calls connected', async () => {
    const mongoose = newMongoose(name);
    const check = harness(mongoosePing(mongoose.connection), systemClock, TIMEOUT_MS);
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'not_connected' });
    await mongoose.connect(server.url, LIMITS);
    open.push(() => mongoose.disconnect());
    expect((await check.run()).status).toBe('pass');
    server.freeze();
    open.push(() => server.thaw());
    const outcome = await check.run();
    expect(mongoose.connection.readyState).toBe(1);
    expect(outcome).toMatchObject({ status: 'fail', output: 'no answer to ping: timed out' });
    server.thaw();
    await vi.waitFor(async () => expect((await check.run()).status).toBe('pass'), 5_000);
  });
});
