import { type Socket, connect } from 'node:net';
import { Kafka, type KafkaConfig, logLevel } from 'kafkajs';
import type { ConformanceAddress } from '../../src/testing/index.js';

/** The only topic of the tests. */
export const TOPIC = 'orders';

/** A KafkaJS client whose connections all go to one address, whatever the broker tells of its own. */
export function kafkaAt({ host, port }: ConformanceAddress, config: Partial<KafkaConfig> = {}) {
  return new Kafka({
    brokers: [`${host}:${port}`],
    clientId: 'hale-test',
    logLevel: logLevel.NOTHING,
    connectionTimeout: 500,
    requestTimeout: 1_000,
    socketFactory: ({ onConnect }) => inWholeAnswers(connect({ host, port }, onConnect)),
    ...config,
  });
}

/**
 * Lets a socket give whole answers only. KafkaJS 2.2.4 keeps the half of an answer that a lost connection has left and
 * reads on with the next connection's bytes, until it throws out of its listener, which would end the test run.
 */
function inWholeAnswers(socket: Socket): Socket {
  const emit = socket.emit.bind(socket) as (event: string, ...values: unknown[]) => boolean;
  let bytes = Buffer.alloc(0);
  socket.emit = (event: string, ...values: unknown[]): boolean => {
    if (event !== 'data') return emit(event, ...values);
    bytes = Buffer.concat([bytes, values[0] as Buffer]);
    let end = 0;
    while (bytes.length >= end + 4 && bytes.length >= end + 4 + bytes.readInt32BE(end)) {
      end += 4 + bytes.readInt32BE(end);
    }
    const whole = bytes.subarray(0, end);
    bytes = bytes.subarray(end);
    return whole.length === 0 || emit('data', whole);
  };
  return socket;
}

/** Sends messages `from` to `to` (exclusive), each with its number, to one partition. */
export async function send(kafka: Kafka, from: number, to: number, partition = 0): Promise<void> {
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  const numbers = Array.from({ length: to - from }, (_, index) => from + index);
  const messages = numbers.map((number) => ({ partition, value: String(number) }));
  await producer.send({ topic: TOPIC, messages });
  await producer.disconnect();
}
