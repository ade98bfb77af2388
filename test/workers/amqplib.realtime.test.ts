import amqp, { type Channel, type ChannelModel, type ConsumeMessage } from 'amqplib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import type { Health } from '../../src/health.js';
import { queueWorkerPreset } from '../../src/presets/index.js';
import { amqpConsumer } from '../../src/workers/amqplib.js';
import { createLog } from '../engine/support.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { RABBITMQ_STARTS_WITHIN_MS, startRabbitmq } from '../support/servers/rabbitmq.js';

const QUEUE = 'orders';

describe('an amqplib consumer on a real RabbitMQ', () => {
  let rabbit: ManagedServer;
  const cleanups: (() => unknown)[] = [];

  beforeAll(async () => {
    rabbit = await startRabbitmq();
  }, RABBITMQ_STARTS_WITHIN_MS);
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });
  afterAll(() => rabbit?.dispose());

  async function connect(): Promise<ChannelModel> {
    const connection = await amqp.connect(rabbit.url);
    connection.on('error', () => {});
    cleanups.push(() => connection.close().catch(() => {}));
    return connection;
  }

  async function fill(count: number): Promise<Channel> {
    const channel = await (await connect()).createChannel();
    await channel.assertQueue(QUEUE, { durable: true });
    for (let n = 0; n < count; n += 1)
      channel.sendToQueue(QUEUE, Buffer.from(String(n)), { persistent: true });
    await expect
      .poll(async () => (await channel.checkQueue(QUEUE)).messageCount, { timeout: 10_000 })
      .toBe(count);
    return channel;
  }

  async function consumer(handle: (n: number) => Promise<unknown>, deadlineMs = 5000) {
    const health: Health = createHealth({
      ...queueWorkerPreset,
      env: {},
      isolation: 'inline',
      signals: false,
      logger: createLog().logger,
      shutdown: { deadlineMs },
    });
    cleanups.push(() => health.dispose());
    const started: number[] = [];
    const openChannel = async (): Promise<Channel> => {
      const channel = await (await connect()).createChannel();
      await channel.prefetch(5);
      return channel;
    };
    const onMessage = (message: ConsumeMessage): Promise<unknown> => {
      const n = Number(message.content.toString());
      started.push(n);
      return handle(n);
    };
    await health.start();
    health.worker('orders', amqpConsumer({ queue: QUEUE, openChannel, onMessage }));
    return { health, started };
  }

  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it('D4, T8: a drain in the middle of 300 messages: none is lost, done twice or started late', async () => {
    await fill(300);
    const first = await consumer(() => wait(10));
    await expect.poll(() => first.started.length, { timeout: 10_000 }).toBeGreaterThan(100);
    const drained = first.health.shutdown();
    const atSignal = first.started.length;
    expect(await drained).toMatchObject({ exitCode: 0 });
    expect(first.started).toHaveLength(atSignal);
    const second = await consumer(() => wait(1));
    await expect
      .poll(() => first.started.length + second.started.length, { timeout: 10_000 })
      .toBe(300);
    await second.health.shutdown();
    expect(new Set([...first.started, ...second.started]).size).toBe(300);
  });

  it('D4: messages that outlast the deadline are requeued for another consumer', async () => {
    const channel = await fill(3);
    const first = await consumer(() => wait(60_000), 1000);
    await expect.poll(() => first.started.length, { timeout: 10_000 }).toBe(3);
    expect(await first.health.shutdown()).toMatchObject({ exitCode: 0 });
    await expect.poll(async () => (await channel.checkQueue(QUEUE)).messageCount).toBe(3);
    await channel.purgeQueue(QUEUE);
  });

  it('case 32: the broker restarts: the consumer comes back by itself', async () => {
    await fill(10);
    const { health, started } = await consumer(() => wait(1));
    await expect.poll(() => started.length, { timeout: 10_000 }).toBe(10);
    await rabbit.restart();
    await fill(0);
    const channel = await (await connect()).createChannel();
    channel.sendToQueue(QUEUE, Buffer.from('10'));
    await expect.poll(() => started.at(-1), { timeout: 40_000 }).toBe(10);
    expect(await health.shutdown()).toMatchObject({ exitCode: 0 });
  });
});
