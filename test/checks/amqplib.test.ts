import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type AmqpConnectionLike, amqpConnection } from '../../src/checks/amqplib.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

const clock = createManualClock();

class FakeChannel extends EventEmitter {
  readonly asked: string[] = [];
  closed = false;
  answer: () => Promise<unknown> = async () => ({});

  checkExchange(exchange: string): Promise<unknown> {
    this.asked.push(exchange);
    return this.answer();
  }

  async close(): Promise<void> {
    this.closed = true;
    throw new Error('closed already');
  }
}

class FakeConnection extends EventEmitter {
  readonly channels: FakeChannel[] = [];
  connection: unknown = {};
  opening: Promise<void> = Promise.resolve();

  async createChannel(): Promise<FakeChannel> {
    await this.opening;
    const channel = new FakeChannel();
    this.channels.push(channel);
    return channel;
  }
}

function setUp(connection = new FakeConnection()) {
  const check = harness(amqpConnection(connection), clock);
  return { connection, check };
}

describe('amqpConnection', () => {
  it('asks on one channel of its own, run after run', async () => {
    const { connection, check } = setUp();
    for (let run = 0; run < 3; run += 1) expect((await check.run()).status).toBe('pass');
    expect(connection.channels.map(({ asked }) => asked)).toEqual([
      ['amq.direct', 'amq.direct', 'amq.direct'],
    ]);
  });

  it('opens another channel after the broker closed its own; an error is not left unheard', async () => {
    const { connection, check } = setUp();
    await check.run();
    connection.channels[0]?.emit('error', new Error('404'));
    connection.channels[0]?.emit('close');
    expect((await check.run()).status).toBe('pass');
    expect(connection.channels).toHaveLength(2);
  });

  it('C9: warns while the connection is blocked, and asks nothing', async () => {
    const { connection, check } = setUp();
    await check.run();
    connection.emit('blocked', 'low on memory');
    expect(await check.run()).toMatchObject({ status: 'warn', code: 'connection_blocked' });
    expect(connection.channels[0]?.asked).toHaveLength(1);
    connection.emit('unblocked');
    expect((await check.run()).status).toBe('pass');
  });

  it('C9: a run that waits when the block comes warns at once', async () => {
    const { connection, check } = setUp();
    await check.run();
    const [channel] = connection.channels;
    if (channel !== undefined) channel.answer = () => new Promise(() => {});
    const running = check.run();
    await clock.settle();
    connection.emit('blocked');
    expect(await running).toMatchObject({ status: 'warn', durationMs: 0 });
  });

  it('knows a connection that was blocked before', async () => {
    const connection = new FakeConnection();
    connection.connection = { blocked: true };
    expect(await setUp(connection).check.run()).toMatchObject({ code: 'connection_blocked' });
  });

  it('tells a connection that recovers from one that does not', async () => {
    const { connection, check } = setUp();
    const code = async () => (await check.run()).code ?? 'pass';
    connection.emit('disconnect', new Error('gone'));
    expect(await code()).toBe('not_connected');
    connection.emit('connect');
    expect(await code()).toBe('pass');
    connection.emit('disconnect', new Error('gone'));
    connection.emit('reconnect-failed', new Error('gave up'));
    expect(await code()).toBe('connection_closed');
    expect(connection.eventNames()).toEqual([]);
  });

  it('follows the application to another connection', async () => {
    let present: FakeConnection | undefined;
    const check = harness(
      amqpConnection(() => present),
      clock,
    );
    expect(await check.run()).toMatchObject({ status: 'fail', code: 'not_connected' });
    present = new FakeConnection();
    expect((await check.run()).status).toBe('pass');
    present.emit('close');
    expect(await check.run()).toMatchObject({ code: 'connection_closed' });
    present = new FakeConnection();
    expect((await check.run()).status).toBe('pass');
  });

  it('C2: the deadline holds while a recovering connection keeps the question', async () => {
    const connection = new FakeConnection();
    let connected = () => {};
    connection.opening = new Promise((resolve) => void (connected = resolve));
    const { check } = setUp(connection);
    for (let run = 0; run < 3; run += 1) {
      const running = check.run();
      await clock.advance(1_000);
      expect(await running).toMatchObject({ output: 'no answer of the broker: timed out' });
    }
    connected();
    expect((await check.run()).status).toBe('pass');
    expect(connection.channels).toHaveLength(1);
  });

  it('leaves nothing when it is removed, also in the middle of opening its channel', async () => {
    const { connection, check } = setUp();
    await check.run();
    await check.dispose();
    expect(connection.eventNames()).toEqual([]);
    expect(connection.channels[0]?.closed).toBe(true);
    let connected = () => {};
    connection.opening = new Promise((resolve) => void (connected = resolve));
    check.start();
    const running = check.run();
    await clock.settle();
    await check.dispose();
    connected();
    await running;
    expect(connection.channels[1]?.closed).toBe(true);
    expect(connection.eventNames()).toEqual([]);
  });

  it('fails with the words of the broker, without secrets', async () => {
    const { connection, check } = setUp();
    await check.run();
    const [channel] = connection.channels;
    const error = new Error('Connection closed (amqp://guest:hunter2@queue)');
    if (channel !== undefined) channel.answer = () => Promise.reject(error);
    const { status, output } = await check.run();
    expect([status, output]).toEqual(['fail', expect.stringContaining('Connection closed')]);
    expect(output).not.toContain('hunter2');
  });

  it('refuses what is no connection and no exchange', () => {
    expect(() => amqpConnection({} as AmqpConnectionLike)).toThrow(
      /amqpConnection\.connection must be a connection of amqplib, or a function/,
    );
    expect(() => amqpConnection(new FakeConnection(), { exchange: '' })).toThrow(
      /amqpConnection\.exchange must be a text/,
    );
  });
});
