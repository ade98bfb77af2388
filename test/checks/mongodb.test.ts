import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  type MongoClientLike,
  type MongodbPingOptions,
  type MongodbPoolOptions,
  mongodbPing,
  mongodbPool,
  mongoosePing,
} from '../../src/checks/mongodb.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

type Hello = Record<string, unknown>;
type Answer = () => Promise<unknown>;

/** Answers each command as told, and remembers what it was asked. */
class FakeClient {
  asked: string[] = [];
  databases: string[] = [];
  preferences: string[] = [];
  signals: AbortSignal[] = [];
  options: { directConnection?: boolean } = {};
  ping: Answer = async () => ({ ok: 1 });
  hello: Answer = async () => ({ ok: 1, isWritablePrimary: true });

  says(hello: Hello) {
    this.hello = async () => ({ ok: 1, ...hello });
    return this;
  }

  db: MongoClientLike['db'] = (name) => {
    this.databases.push(name);
    return {
      command: async (command, { readPreference, signal }) => {
        const asked = Object.keys(command)[0] ?? '';
        this.asked.push(asked);
        this.preferences.push(readPreference);
        this.signals.push(signal);
        return asked === 'ping' ? this.ping() : this.hello();
      },
    };
  };
}

const NO_PRIMARY = { setName: 'rs0', isWritablePrimary: false, secondary: true };

function setup(client: FakeClient, options: MongodbPingOptions = {}) {
  const clock = createManualClock();
  return { client, clock, check: harness(mongodbPing(client, options), clock) };
}

describe('mongodbPing', () => {
  it('case 31: passes by a real ping, on the database everyone may ask', async () => {
    const { client, check } = setup(new FakeClient());
    expect((await check.run()).status).toBe('pass');
    expect(client.asked).toEqual(['ping', 'hello']);
    expect(client.databases).toEqual(['admin']);
  });

  it('asks any member when there is no primary, or the driver would wait for one', async () => {
    const { client, check } = setup(new FakeClient());
    await check.run();
    expect(client.preferences).toEqual(['primaryPreferred', 'primaryPreferred']);
  });

  it('passes on the primary of a replica set and behind a router', async () => {
    const primary = new FakeClient().says({ setName: 'rs0', isWritablePrimary: true });
    expect((await setup(primary).check.run()).status).toBe('pass');
    const router = new FakeClient().says({ msg: 'isdbgrid', isWritablePrimary: true });
    expect((await setup(router).check.run()).status).toBe('pass');
  });

  it('case 31: an election warns, and fails once it lasts', async () => {
    const { client, clock, check } = setup(new FakeClient().says(NO_PRIMARY));
    const election = {
      status: 'warn',
      code: 'no_primary',
      output: 'the replica set rs0 has no primary',
    };
    expect(await check.run()).toMatchObject(election);
    await clock.advance(29_999);
    expect(await check.run()).toMatchObject(election);
    await clock.advance(1);
    expect(await check.run()).toMatchObject({ ...election, status: 'fail' });
    client.says({ setName: 'rs0', isWritablePrimary: true });
    expect((await check.run()).status).toBe('pass');
    client.says(NO_PRIMARY);
    expect(await check.run()).toMatchObject(election);
  });

  it('a run without an answer in between does not end the time without a primary', async () => {
    const { client, clock, check } = setup(new FakeClient().says(NO_PRIMARY));
    await check.run();
    await clock.advance(20_000);
    client.ping = async () => {
      throw new Error('pool cleared');
    };
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'error' });
    await clock.advance(10_000);
    client.ping = async () => ({ ok: 1 });
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'no_primary' });
  });

  it('names a primary that the set has and the client cannot reach', async () => {
    const client = new FakeClient().says({ ...NO_PRIMARY, primary: 'db2:27017' });
    expect(await setup(client).check.run()).toMatchObject({
      status: 'warn',
      code: 'no_primary',
      output: 'the primary of the replica set rs0, db2:27017, cannot be reached',
    });
  });

  it('a client for one server only wants no primary', async () => {
    const client = new FakeClient().says(NO_PRIMARY);
    client.options.directConnection = true;
    expect((await setup(client).check.run()).status).toBe('pass');
  });

  it.each([
    [0, ['fail', 'fail']],
    [Infinity, ['warn', 'warn']],
  ])('noPrimaryFailMs %d', async (noPrimaryFailMs, statuses) => {
    const { clock, check } = setup(new FakeClient().says(NO_PRIMARY), { noPrimaryFailMs });
    const first = await check.run();
    await clock.advance(86_400_000);
    expect([first.status, (await check.run()).status]).toEqual(statuses);
  });

  it('a server too old for hello passes by its ping; other errors of hello fail', async () => {
    const client = new FakeClient();
    client.hello = async () => {
      throw Object.assign(new Error('no such command: hello'), { code: 59 });
    };
    expect((await setup(client).check.run()).status).toBe('pass');
    client.hello = async () => {
      throw Object.assign(new Error('not authorized'), { code: 13 });
    };
    expect(await setup(client).check.run()).toMatchObject({
      status: 'fail',
      output: 'not authorized',
    });
  });

  it.each(['MongoTopologyClosedError', 'MongoNotConnectedError'])(
    'tells a client that does not come back by itself: %s',
    async (name) => {
      const client = new FakeClient();
      client.ping = async () => {
        throw Object.assign(new Error('Topology is closed'), { name });
      };
      expect(await setup(client).check.run()).toMatchObject({
        status: 'fail',
        code: 'client_closed',
        output: 'Topology is closed',
      });
    },
  );

  it('C2: settles on the signal, which it hands on to the driver', async () => {
    const { client, clock, check } = setup(new FakeClient());
    client.ping = () => new Promise(() => {});
    const run = check.run();
    await clock.advance(1_000);
    expect(await run).toMatchObject({ status: 'fail', output: 'no answer to ping: timed out' });
    expect(client.signals[0]?.aborted).toBe(true);
  });

  it('C5: a driver that knows no signal is asked one ping at a time', async () => {
    const { client, clock, check } = setup(new FakeClient());
    let answer = () => {};
    client.ping = () => new Promise<void>((resolve) => (answer = resolve));
    for (let each = 0; each < 5; each += 1) {
      const run = check.run();
      await clock.advance(1_000);
      expect((await run).status).toBe('fail');
    }
    expect(client.asked).toEqual(['ping']);
    client.ping = async () => ({ ok: 1 });
    answer();
    expect((await check.run()).status).toBe('pass');
  });

  it('refuses to run before its start', async () => {
    const { run } = mongodbPing(new FakeClient());
    await expect(run(new AbortController().signal)).rejects.toThrow(
      'mongodbPing runs only after start()',
    );
  });

  it('names the bad option', () => {
    expect(() => setup(new FakeClient(), { noPrimaryFailMs: -1 })).toThrow(
      /mongodbPing.noPrimaryFailMs must be a number from 0/,
    );
    expect(() => mongodbPing({} as never)).toThrow(
      'mongodbPing.client must be a MongoClient with db(), got an object of Object',
    );
  });
});

describe('mongoosePing', () => {
  it('case 31: asks the client, whatever readyState says', async () => {
    const client = new FakeClient();
    client.ping = async () => {
      throw new Error('connection refused');
    };
    const connection = { readyState: 1, getClient: () => client };
    const outcome = await harness(mongoosePing(connection), createManualClock()).run();
    expect(outcome).toMatchObject({ status: 'fail', output: 'connection refused' });
  });

  it('fails before the first connect(), and passes after it', async () => {
    let client: FakeClient | undefined;
    const connection = { getClient: () => client as FakeClient };
    const check = harness(mongoosePing(connection), createManualClock());
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'not_connected' });
    client = new FakeClient();
    expect((await check.run()).status).toBe('pass');
  });

  it('names the bad option', () => {
    const connection = { getClient: () => new FakeClient() };
    expect(() => mongoosePing(connection, { noPrimaryFailMs: Number.NaN })).toThrow(
      /mongoosePing.noPrimaryFailMs must be a number from 0/,
    );
    expect(() => mongoosePing(undefined as never)).toThrow(
      'mongoosePing.connection must be a Connection of mongoose, got undefined',
    );
  });
});

describe('mongodbPool', () => {
  const pool = (total: number, idle: number, waiting: number, maxPoolSize = 10) => ({
    pool: {
      totalConnectionCount: total,
      availableConnectionCount: idle,
      waitQueueSize: waiting,
      options: { maxPoolSize },
    },
  });

  class FakePools extends EventEmitter {
    servers = new Map([['a:1', pool(4, 2, 0)]]);
    topology: unknown = { s: { servers: this.servers } };
  }

  function pooled(options: MongodbPoolOptions = {}) {
    const clock = createManualClock();
    const client = new FakePools();
    return { client, clock, check: harness(mongodbPool(client, options), clock) };
  }

  it('C7: passes with what the driver counts, also before it has connected', async () => {
    const { client, check } = pooled();
    expect(await check.run()).toMatchObject({
      status: 'pass',
      observedValue: { used: 2, total: 4, idle: 2, waiting: 0, max: 10 },
      observedUnit: 'connections',
    });
    client.topology = undefined;
    expect(await check.run()).toMatchObject({ status: 'pass', observedValue: { total: 0 } });
  });

  it('C8: the busiest pool counts: first where requests wait, then by its share', async () => {
    const { client, check } = pooled();
    client.servers.set('b:1', pool(10, 0, 0));
    expect(await check.run()).toMatchObject({ status: 'warn', observedValue: { used: 10 } });
    client.servers.set('c:1', pool(2, 0, 3, 2));
    expect(await check.run()).toMatchObject({
      status: 'warn',
      code: 'pool_busy',
      output: '2 of 2 connections in use, 3 waiting',
    });
  });

  it('C8: what comes back to another pool does not help those who wait', async () => {
    const { client, clock, check } = pooled({ noReturnFailMs: 10_000 });
    client.servers.set('b:1', pool(10, 0, 5));
    await check.run();
    for (const [address, status] of [
      ['b:1', 'warn'],
      ['a:1', 'fail'],
    ]) {
      await clock.advance(9_000);
      client.emit('connectionCheckedIn', { address });
      await clock.advance(1_000);
      expect((await check.run()).status).toBe(status);
    }
    expect((await check.run()).code).toBe('pool_exhausted');
  });

  it('a pool without a limit is never busy', async () => {
    const { client, check } = pooled();
    client.servers.set('a:1', pool(500, 0, 0, 0));
    expect(await check.run()).toMatchObject({ status: 'pass', observedValue: { max: null } });
  });

  it('leaves no listener behind', async () => {
    const { client, check } = pooled();
    expect(client.listenerCount('connectionCheckedIn')).toBe(1);
    await check.dispose();
    expect(client.listenerCount('connectionCheckedIn')).toBe(0);
  });

  it('names the bad option', () => {
    expect(() => pooled({ warnAbove: 2 })).toThrow(/mongodbPool.warnAbove must be a number from 0/);
    expect(() => mongodbPool({} as never)).toThrow(/mongodbPool.client must be a MongoClient/);
  });
});
