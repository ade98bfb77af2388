import type { Channel, ConsumeMessage, Options } from 'amqplib';
import type {
  Channel as Channel010,
  ConsumeMessage as ConsumeMessage010,
  Options as Options010,
} from 'amqplib010';
import type {
  Channel as Channel1,
  ConsumeMessage as ConsumeMessage1,
  Options as Options1,
} from 'amqplib1';
import { type Job, Worker } from 'bullmq';
import { type Job as Job5, Worker as Worker5 } from 'bullmq5';
import type { Consumer, ConsumerRunConfig, EachMessagePayload } from 'kafkajs';
import { describe, expectTypeOf, it } from 'vitest';
import type { WorkerAdapter } from '../../src/core/worker.js';
import { type AmqpChannelLike, amqpConsumer } from '../../src/workers/amqplib.js';
import { type BullJobLike, type BullWorkerLike, bullmqWorker } from '../../src/workers/bullmq.js';
import { type KafkaConsumerLike, kafkaConsumer } from '../../src/workers/kafkajs.js';

describe('the workers of the real libraries fit without a cast', () => {
  it('bullmq 6', () => {
    expectTypeOf<Worker>().toExtend<BullWorkerLike>();
    expectTypeOf<Job<{ n: number }, string>>().toExtend<BullJobLike>();
    const adapter = bullmqWorker(
      async (job: Job<{ n: number }, string>, token, signal) => {
        expectTypeOf(token).toEqualTypeOf<string | undefined>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        return String(job.data.n);
      },
      (processor) => new Worker<{ n: number }, string>('orders', processor, { connection: {} }),
    );
    expectTypeOf(adapter).toEqualTypeOf<WorkerAdapter>();
  });

  it('bullmq 5.60', () => {
    expectTypeOf<Worker5>().toExtend<BullWorkerLike>();
    expectTypeOf<Job5<{ n: number }, string>>().toExtend<BullJobLike>();
    const adapter = bullmqWorker(
      async (job: Job5<{ n: number }, string>, token, signal) => {
        expectTypeOf(token).toEqualTypeOf<string | undefined>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        return String(job.data.n);
      },
      (processor) => new Worker5<{ n: number }, string>('orders', processor, { connection: {} }),
    );
    expectTypeOf(adapter).toEqualTypeOf<WorkerAdapter>();
  });

  it('amqplib 0.10 and 1', () => {
    expectTypeOf<Channel010>().toExtend<AmqpChannelLike<ConsumeMessage010, Options010.Consume>>();
    expectTypeOf<Channel1>().toExtend<AmqpChannelLike<ConsumeMessage1, Options1.Consume>>();
    amqpConsumer({
      queue: 'orders',
      openChannel: async (): Promise<Channel010> => null as unknown as Channel010,
      onMessage: async (message: ConsumeMessage010) => message.content.toString(),
      consume: { exclusive: true } satisfies Options010.Consume,
    });
    amqpConsumer({
      queue: 'orders',
      openChannel: async (): Promise<Channel1> => null as unknown as Channel1,
      onMessage: async (message: ConsumeMessage1) => message.content.toString(),
      consume: { exclusive: true } satisfies Options1.Consume,
    });
  });

  it('amqplib 2', () => {
    expectTypeOf<Channel>().toExtend<AmqpChannelLike<ConsumeMessage, Options.Consume>>();
    const openChannel = async (): Promise<Channel> => null as unknown as Channel;
    const adapter = amqpConsumer({
      queue: 'orders',
      openChannel,
      onMessage: async (message: ConsumeMessage) => message.content.toString(),
      consume: { exclusive: true } satisfies Options.Consume,
    });
    expectTypeOf(adapter).toEqualTypeOf<WorkerAdapter>();
  });

  it('kafkajs', () => {
    expectTypeOf<Consumer>().toExtend<KafkaConsumerLike<EachMessagePayload>>();
    const run: Pick<ConsumerRunConfig, 'partitionsConsumedConcurrently'> = {
      partitionsConsumedConcurrently: 3,
    };
    const adapter = kafkaConsumer(null as unknown as Consumer, {
      topics: ['orders'],
      eachMessage: async ({ message }: EachMessagePayload) => void message.value?.toString(),
      run,
    });
    expectTypeOf(adapter).toEqualTypeOf<WorkerAdapter>();
  });
});

describe('what is no worker does not fit', () => {
  it('is a type error', () => {
    expectTypeOf<Consumer>().not.toExtend<BullWorkerLike>();
    expectTypeOf<Worker>().not.toExtend<KafkaConsumerLike<EachMessagePayload>>();
    expectTypeOf<Worker5>().not.toExtend<AmqpChannelLike<ConsumeMessage1, Options1.Consume>>();
    expectTypeOf<Channel010>().not.toExtend<BullWorkerLike>();
    expectTypeOf<Channel1>().not.toExtend<BullWorkerLike>();
    expectTypeOf<Consumer>().not.toExtend<AmqpChannelLike<ConsumeMessage, Options.Consume>>();
  });
});
