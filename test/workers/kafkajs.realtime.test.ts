import type { EachMessagePayload } from 'kafkajs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import { queueWorkerPreset } from '../../src/presets/index.js';
import { kafkaConsumer } from '../../src/workers/kafkajs.js';
import { createLog } from '../engine/support.js';
import { TOPIC, kafkaAt, send } from '../support/kafka-client.js';
import { startKafka } from '../support/servers/kafka.js';
import type { ManagedServer } from '../support/servers/managed-server.js';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a KafkaJS consumer on the mock of a Kafka cluster', () => {
  let kafka: ManagedServer;
  const cleanups: (() => unknown)[] = [];

  beforeAll(async () => {
    kafka = await startKafka({ topic: TOPIC, partitions: 1 });
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });
  afterAll(() => kafka.dispose());

  interface Options {
    groupId: string;
    handle: (n: number, signal: AbortSignal) => Promise<unknown>;
    deadlineMs?: number;
    database?: { up: boolean };
  }

  async function worker({ groupId, handle, deadlineMs = 5000, database = { up: true } }: Options) {
    const health = createHealth({
      ...queueWorkerPreset,
      env: {},
      isolation: 'inline',
      signals: false,
      logger: createLog().logger,
      shutdown: { deadlineMs },
      checks: {
        database: {
          intervalMs: 50,
          failureThreshold: 1,
          successThreshold: 1,
          run: () => {
            if (!database.up) throw new Error('down');
          },
        },
      },
    });
    cleanups.push(() => health.dispose());
    const consumer = kafkaAt(kafka.address).consumer({
      groupId,
      // The mock waits for this long, less a second, for the members of before.
      sessionTimeout: 4_000,
      heartbeatInterval: 100,
      maxWaitTimeInMs: 100,
    });
    cleanups.push(() => consumer.disconnect());
    await consumer.connect();
    await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
    const started: number[] = [];
    const eachMessage = ({ message }: EachMessagePayload, signal: AbortSignal): Promise<void> => {
      const n = Number(message.value?.toString());
      started.push(n);
      return handle(n, signal).then(() => {});
    };
    await health.start();
    health.worker('orders', kafkaConsumer(consumer, { topics: [TOPIC], eachMessage }), {
      resumeJitterMs: 1,
    });
    return { health, started };
  }

  it('D4, T8: a drain in the middle of 200 messages: none is lost, done twice or started late', async () => {
    await send(kafkaAt(kafka.address), 0, 200);
    const first = await worker({ groupId: 'drained', handle: () => wait(5) });
    await expect.poll(() => first.started.length, { timeout: 10_000 }).toBeGreaterThan(50);
    const drained = first.health.shutdown();
    const atSignal = first.started.length;
    expect(await drained).toMatchObject({ exitCode: 0 });
    expect(first.started).toHaveLength(atSignal);
    const second = await worker({ groupId: 'drained', handle: () => wait(1) });
    await expect.poll(() => second.started.at(-1), { timeout: 10_000 }).toBe(199);
    await second.health.shutdown();
    const all = [...first.started, ...second.started];
    expect(all).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  it('D4: a message that outlasts the deadline is not committed: another member gets it', async () => {
    const aborted: number[] = [];
    const first = await worker({
      groupId: 'given back',
      deadlineMs: 3000,
      handle: (n, signal) => {
        if (n === 0) return wait(1);
        return new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve(aborted.push(n))),
        );
      },
    });
    await expect.poll(() => first.started, { timeout: 10_000 }).toEqual([0, 1]);
    const startedAt = performance.now();
    expect(await first.health.shutdown()).toMatchObject({ exitCode: 0 });
    expect(performance.now() - startedAt).toBeLessThan(3500);
    expect(aborted).toEqual([1]);
    const second = await worker({ groupId: 'given back', handle: () => wait(1) });
    await expect.poll(() => second.started[0], { timeout: 10_000 }).toBe(1);
  });

  it('D4: starts nothing while a critical dependency is down, stays in its group and goes on after it', async () => {
    const database = { up: true };
    const { started } = await worker({ groupId: 'paused', handle: () => wait(10), database });
    await expect.poll(() => started.length, { timeout: 10_000 }).toBeGreaterThan(5);
    database.up = false;
    await wait(300);
    const whenPaused = started.length;
    expect(whenPaused).toBeLessThan(150);
    await wait(1_000);
    expect(started).toHaveLength(whenPaused);
    database.up = true;
    await expect.poll(() => started.length, { timeout: 10_000 }).toBeGreaterThan(whenPaused + 5);
    expect(started).toEqual(Array.from(started, (_, index) => index));
  });
});
