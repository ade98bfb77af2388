import type { Socket } from 'node:net';
import amqplib2, { type ChannelModel } from 'amqplib';
import amqplib010 from 'amqplib010';
import amqplib1 from 'amqplib1';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AmqpConnectionLike, amqpConnection } from '../../src/checks/amqplib.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { itConforms } from '../support/conformance.js';
import { harness } from '../support/run-check.js';
import {
  type RabbitmqServer,
  RABBITMQ_STARTS_WITHIN_MS,
  startRabbitmq,
} from '../support/servers/rabbitmq.js';

const TIMEOUT_MS = 500;
const RETRY_MS = 50;

let server: RabbitmqServer;
const open: (() => unknown)[] = [];
beforeAll(async () => {
  server = await startRabbitmq();
}, RABBITMQ_STARTS_WITHIN_MS);
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});
afterAll(() => server?.dispose());

interface Connection extends AmqpConnectionLike {
  close(): Promise<void>;
}

/** An application's way to have a connection, and to have one again. */
type Connect = (url: string) => { current(): Connection | undefined; close(): Promise<void> };

/** Of a peer that is silent amqplib waits for a farewell for ever. */
function cutOff(model: AmqpConnectionLike | undefined): void {
  (model?.connection as { stream: Socket } | undefined)?.stream.destroy();
}

/** amqplib itself never connects again. */
const reconnecting =
  (connect: (url: string, options: object) => Promise<Connection>): Connect =>
  (url) => {
    let connection: Connection | undefined;
    let timer: NodeJS.Timeout | undefined;
    let stopped = false;
    const attempt = async (): Promise<void> => {
      try {
        const made = await connect(url, { timeout: 1_000 });
        made.on('error', () => {});
        made.on('close', () => {
          connection = undefined;
          later();
        });
        connection = made;
      } catch {
        later();
      }
    };
    let attempting = attempt();
    function later() {
      if (!stopped) timer = setTimeout(() => void (attempting = attempt()), RETRY_MS);
    }
    return {
      current: () => connection,
      close: async () => {
        stopped = true;
        clearTimeout(timer);
        await attempting;
        cutOff(connection);
      },
    };
  };

/** From 1.1 on there is a connection that recovers itself. */
const recovering: Connect = (url) => {
  let connection: Connection | undefined;
  let model: AmqpConnectionLike | undefined;
  const recovery = { waitForConnect: false, initialDelay: RETRY_MS, maxDelay: RETRY_MS };
  const connected = amqplib2.connect(url, { timeout: 1_000, recovery }).then((made) => {
    made.on('error', () => {});
    made.on('connect', (present) => void (model = present));
    connection = made;
  });
  return {
    current: () => connection,
    close: async () => {
      await connected;
      void connection?.close();
      cutOff(model);
    },
  };
};

const urlOf = (host: string, port: number, password: string) =>
  `amqp://guest:${password}@${host}:${port}?heartbeat=1`;

const RESTART = { because: 'a restart of RabbitMQ takes long, and `cut` looks the same to them' };

describe.each<[string, Connect, boolean]>([
  ['amqplib 0.10', reconnecting((url, options) => amqplib010.connect(url, options)), false],
  ['amqplib 1', reconnecting((url, options) => amqplib1.connect(url, options)), false],
  ['a recovering connection of amqplib 2', recovering, true],
])('amqpConnection with %s against a real RabbitMQ', (_, connect, recovers) => {
  itConforms({
    name: 'amqpConnection',
    server: () => server,
    exceptions: recovers ? {} : { stopped: RESTART },
    createSubject: ({ host, port, password }) => {
      const app = connect(urlOf(host, port, password('guest')));
      return { check: amqpConnection(app.current), close: app.close };
    },
  });
});

describe('amqpConnection on a connection that does not recover', () => {
  const started = (connection: AmqpConnectionLike, exchange?: string) =>
    harness(
      amqpConnection(connection, exchange === undefined ? {} : { exchange }),
      systemClock,
      TIMEOUT_MS,
    );

  async function connected(): Promise<ChannelModel> {
    const connection = await amqplib2.connect(server.url);
    connection.on('error', () => {});
    open.push(() => connection.close().catch(() => {}));
    return connection;
  }

  it('C9: a missing exchange closes the channel of the check and nothing else', async () => {
    const connection = await connected();
    const channel = await connection.createChannel();
    const check = started(connection, 'no-such-exchange');
    for (let run = 0; run < 3; run += 1) {
      const outcome = await check.run();
      expect(outcome.status).toBe('fail');
      expect(outcome.output).toContain("no exchange 'no-such-exchange'");
    }
    await channel.assertExchange('no-such-exchange', 'fanout', { autoDelete: true });
    expect((await check.run()).status).toBe('pass');
    await channel.deleteExchange('no-such-exchange');
  });

  it('C9: closed for good: connection_closed, at once', async () => {
    const connection = await connected();
    const check = started(connection);
    expect((await check.run()).status).toBe('pass');
    await connection.close();
    const outcome = await check.run();
    expect(outcome).toMatchObject({
      status: 'fail',
      code: 'connection_closed',
      durationMs: expect.any(Number),
    });
    expect(outcome.durationMs).toBeLessThan(50);
  });

  it('C9: a removed check leaves no channel and no listener behind', async () => {
    const connection = await connected();
    const events = ['blocked', 'unblocked', 'close', 'connect', 'disconnect'];
    const listeners = () => events.map((event) => connection.listenerCount(event));
    const before = listeners();
    const check = started(connection);
    expect((await check.run()).status).toBe('pass');
    expect(listeners()).not.toEqual(before);
    await check.dispose();
    expect(listeners()).toEqual(before);
    check.start();
    expect((await check.run()).status).toBe('pass');
    await check.dispose();
  });

  it('C9: one question at most is held while the broker is frozen; the connection survives', async () => {
    const connection = await connected();
    const channel = await connection.createChannel();
    const check = started(connection);
    expect((await check.run()).status).toBe('pass');
    server.freeze();
    for (let run = 0; run < 3; run += 1) {
      expect(await check.run()).toMatchObject({
        status: 'fail',
        output: 'no answer of the broker: timed out',
      });
    }
    server.thaw();
    await expect.poll(async () => (await check.run()).status).toBe('pass');
    // The broker gives the lowest free number: the check holds one channel beside the application's.
    const next = await connection.createChannel();
    expect([channel, next].map((each) => (each as unknown as { ch: number }).ch)).toEqual([1, 3]);
  });
});

describe('amqpConnection while RabbitMQ is short of memory', () => {
  it('C9: a publisher is blocked: warn until the alarm ends', async () => {
    const connections = await Promise.all([
      amqplib010.connect(server.url),
      amqplib1.connect(server.url),
      amqplib2.connect(server.url, { recovery: true }),
    ]);
    open.push(() => Promise.all(connections.map((each) => each.close())));
    const checks = connections.map((each) => harness(amqpConnection(each), systemClock, 5_000));
    const outcomes = () => Promise.all(checks.map((check) => check.run()));
    const statuses = async () => (await outcomes()).map(({ status, code }) => code ?? status);
    expect(await statuses()).toEqual(['pass', 'pass', 'pass']);
    await server.setMemoryAlarm(true);
    // Whoever does not publish is not blocked.
    expect(await statuses()).toEqual(['pass', 'pass', 'pass']);
    // A run that is waiting when the block comes ends at once with the better reason.
    const channels = await Promise.all(connections.map((each) => each.createChannel()));
    for (const channel of channels) channel.publish('amq.fanout', '', Buffer.from('x'));
    const blocked = Array.from(checks, () => 'connection_blocked');
    expect(await statuses()).toEqual(blocked);
    expect((await outcomes()).map(({ status }) => status)).toEqual(['warn', 'warn', 'warn']);
    const late = harness(amqpConnection(connections[1]), systemClock, 500);
    expect(await late.run()).toMatchObject({ code: 'connection_blocked' });
    await server.setMemoryAlarm(false);
    await expect.poll(statuses, { timeout: 10_000 }).toEqual(['pass', 'pass', 'pass']);
  });
});
