import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, connect } from '@nats-io/transport-node';
import amqplib2, {
  type ChannelModel as Amqp2,
  type RecoveringChannelModel as RecoveringAmqp2,
} from 'amqplib';
import type { ChannelModel as Amqp010 } from 'amqplib010';
import type { ChannelModel as Amqp1 } from 'amqplib1';
import type { Admin, Consumer } from 'kafkajs';
import type { MqttClient as Mqtt5 } from 'mqtt';
import mqtt4, { type MqttClient as Mqtt4 } from 'mqtt4';
import type {
  JetStreamManager as JetStreamManager2,
  NatsConnection as NatsConnection2,
} from 'nats';
import { describe, expectTypeOf, it } from 'vitest';
import { type AmqpConnectionLike, amqpConnection } from '../../src/checks/amqplib.js';
import {
  type KafkaAdminLike,
  type KafkaConsumerEventsLike,
  kafkaLag,
  kafkaSession,
} from '../../src/checks/kafkajs.js';
import { type MqttClientLike, mqttConnection } from '../../src/checks/mqtt.js';
import {
  type NatsConnectionLike,
  type NatsJetStreamManagerLike,
  natsConnection,
  natsJetStream,
} from '../../src/checks/nats.js';

describe('the clients of the brokers fit without a cast', () => {
  it('amqplib 0.10, 1 and 2', async () => {
    expectTypeOf<Amqp010>().toExtend<AmqpConnectionLike>();
    expectTypeOf<Amqp1>().toExtend<AmqpConnectionLike>();
    expectTypeOf<Amqp2>().toExtend<AmqpConnectionLike>();
    expectTypeOf<RecoveringAmqp2>().toExtend<AmqpConnectionLike>();
    let connection: Amqp2 | undefined;
    amqpConnection(() => connection);
    connection = await amqplib2.connect('amqp://127.0.0.1');
    amqpConnection(connection, { exchange: 'orders' });
    amqpConnection(await amqplib2.connect('amqp://127.0.0.1', { recovery: true }));
  });

  it('nats 2 and @nats-io 3', async () => {
    expectTypeOf<NatsConnection2>().toExtend<NatsConnectionLike>();
    expectTypeOf<NatsConnection>().toExtend<NatsConnectionLike>();
    expectTypeOf<JetStreamManager2>().toExtend<NatsJetStreamManagerLike>();
    expectTypeOf<JetStreamManager>().toExtend<NatsJetStreamManagerLike>();
    const connection = await connect();
    natsConnection(connection);
    natsConnection(() => connection);
    natsJetStream(await jetstreamManager(connection));
  });

  it('kafkajs', () => {
    expectTypeOf<Consumer>().toExtend<KafkaConsumerEventsLike>();
    expectTypeOf<Admin>().toExtend<KafkaAdminLike>();
    const consumer = null as unknown as Consumer;
    kafkaSession(consumer, { sessionTimeoutMs: 30_000 });
    kafkaLag(consumer, null as unknown as Admin, { warnLag: 1_000 });
  });

  it('mqtt 4 and 5', () => {
    expectTypeOf<Mqtt4>().toExtend<MqttClientLike>();
    expectTypeOf<Mqtt5>().toExtend<MqttClientLike>();
    mqttConnection(mqtt4.connect('mqtt://127.0.0.1'), { topic: 'orders/round-trip' });
  });
});

describe('what is no client of a broker does not fit', () => {
  it('is a type error', () => {
    expectTypeOf<Mqtt5>().not.toExtend<NatsConnectionLike>();
    expectTypeOf<NatsConnection>().not.toExtend<AmqpConnectionLike>();
    expectTypeOf<Amqp2>().not.toExtend<MqttClientLike>();
    expectTypeOf<Consumer>().not.toExtend<KafkaAdminLike>();
    // @ts-expect-error a promise of a connection is no connection
    amqpConnection(amqplib2.connect('amqp://127.0.0.1'));
  });
});
