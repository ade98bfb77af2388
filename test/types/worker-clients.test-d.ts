import type { Channel, ConsumeMessage, Options } from 'amqplib';
import { type Job, Worker } from 'bullmq';
import type { Consumer, ConsumerRunConfig, EachMessagePayload } from 'kafkajs';
import { describe, expectTypeOf, it } from 'vitest';
import type { WorkerAdapter } from '../../src/core/worker.js';
import { type AmqpChannelLike, amqpConsumer } from '../../src/workers/amqplib.js';
import { type BullJobLike, type BullWorkerLike, bullmqWorker } from '../../src/workers/bullmq.js';
import { type KafkaConsumerLike, kafkaConsumer } from '../../src/workers/kafkajs.js';

describe('the workers of the real libraries fit without a cast', () => {
  it('bullmq', () => {
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

  it('amqplib', () => {
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
    expectTypeOf<Consumer>().not.toExtend<AmqpChannelLike<ConsumeMessage, Options.Consume>>();
  });
});
