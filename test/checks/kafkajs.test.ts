import { describe, expect, it } from 'vitest';
import {
  type KafkaAdminLike,
  type KafkaConsumerEventsLike,
  type KafkaLagOptions,
  kafkaLag,
  kafkaSession,
} from '../../src/checks/kafkajs.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

/** A consumer whose events are made by hand. */
function fakeConsumer() {
  const listeners = new Map<string, (event: { payload: unknown }) => void>();
  const consumer: KafkaConsumerEventsLike = {
    on: (event, listener) => {
      listeners.set(event, listener);
      return () => void listeners.delete(event);
    },
  };
  const emit = (event: string, payload?: unknown) =>
    listeners.get(`consumer.${event}`)?.({ payload });
  const join = (orders = [0, 1]) =>
    emit('group_join', { groupId: 'g', memberAssignment: { orders, bills: [] } });
  return { consumer, emit, join, listeners };
}

function fakeAdmin() {
  const offsets = { committed: ['7', '-1', '3'], high: ['10', '5', '900'] };
  const asked: string[] = [];
  const admin: KafkaAdminLike = {
    fetchOffsets: async ({ groupId, topics }) => {
      asked.push(`${groupId}: ${topics.join()}`);
      const partitions = offsets.committed.map((offset, partition) => ({ partition, offset }));
      return [{ topic: 'orders', partitions }];
    },
    fetchTopicOffsets: async (topic) => {
      asked.push(topic);
      return offsets.high.map((high, partition) => ({ partition, high, low: '0' }));
    },
  };
  return { admin, offsets, asked };
}

function setUpLag(options: KafkaLagOptions = {}) {
  const clock = createManualClock();
  const fake = fakeConsumer();
  const brokers = fakeAdmin();
  const check = harness(kafkaLag(fake.consumer, brokers.admin, options), clock);
  return { clock, ...fake, ...brokers, check };
}

describe('kafkaSession', () => {
  function setUp() {
    const clock = createManualClock();
    const fake = fakeConsumer();
    const check = harness(kafkaSession(fake.consumer, { sessionTimeoutMs: 10_000 }), clock);
    return { clock, ...fake, check };
  }

  it('C9: follows the consumer through its life', async () => {
    const { check, clock, emit, join } = setUp();
    const code = async () => {
      const { status, code: word } = await check.run();
      return word ?? status;
    };
    expect(await code()).toBe('not_joined');
    join();
    expect(await code()).toBe('pass');
    await clock.advance(9_000);
    emit('heartbeat');
    await clock.advance(9_000);
    expect(await code()).toBe('pass');
    await clock.advance(2_000);
    expect(await code()).toBe('session_expired');
    emit('rebalancing');
    expect(await code()).toBe('rebalancing');
    await clock.advance(60_001);
    expect(await code()).toBe('rebalance_stuck');
    join();
    expect(await code()).toBe('pass');
    emit('crash', { error: new Error('no broker'), restart: false });
    expect(await code()).toBe('consumer_crashed');
    join();
    emit('stop');
    expect(await code()).toBe('consumer_stopped');
    join();
    emit('disconnect');
    expect(await code()).toBe('consumer_stopped');
  });

  it('E7: tells why it crashed, without secrets', async () => {
    const { check, emit } = setUp();
    emit('crash', { error: new Error('cannot reach kafka://u:hunter2@broker'), restart: true });
    const { output } = await check.run();
    expect(output).toContain('starts again by itself: cannot reach');
    expect(output).not.toContain('hunter2');
  });

  it('stops listening when it is removed, and listens anew when it is added again', async () => {
    const { check, listeners, join } = setUp();
    join();
    expect(listeners.size).toBe(6);
    await check.dispose();
    expect(listeners.size).toBe(0);
    check.start();
    expect(await check.run()).toMatchObject({ code: 'not_joined' });
  });

  it('refuses what is no consumer, options out of range, and a run before its start', async () => {
    const { consumer } = fakeConsumer();
    expect(() => kafkaSession({} as KafkaConsumerEventsLike)).toThrow(/kafkaSession\.consumer/);
    expect(() => kafkaSession(consumer, { sessionTimeoutMs: 0 })).toThrow(
      /kafkaSession\.sessionTimeoutMs must be a number from 1/,
    );
    expect(() => kafkaSession(consumer, { rebalanceTimeoutMs: NaN })).toThrow(/rebalanceTimeoutMs/);
    const { signal } = new AbortController();
    expect(() => kafkaSession(consumer).run(signal)).toThrow(/runs only after its start/);
  });
});

describe('kafkaLag', () => {
  it('C9: looks at the partitions of this consumer only', async () => {
    const { check, join, asked } = setUpLag();
    expect(await check.run()).toMatchObject({ status: 'warn', code: 'not_joined' });
    expect(asked).toEqual([]);
    join();
    expect(await check.run()).toMatchObject({
      status: 'pass',
      observedValue: { lag: 3, stalledMs: 0, partitions: 2 },
    });
    expect(asked).toEqual(['g: orders', 'orders']);
  });

  it('asks nothing for a member without partitions', async () => {
    const { check, join, asked } = setUpLag();
    join([]);
    expect(await check.run()).toMatchObject({ status: 'pass', observedValue: { partitions: 0 } });
    expect(asked).toEqual([]);
  });

  it('C9: lag and progress have limits of their own', async () => {
    const { check, clock, join, offsets } = setUpLag({
      warnLag: 5,
      failLag: 50,
      warnStalledMs: 1_000,
      failStalledMs: 2_000,
    });
    const result = async () => {
      const { status, code } = await check.run();
      return [status, code];
    };
    join();
    expect(await result()).toEqual(['pass', undefined]);
    offsets.high[0] = '20';
    offsets.committed[0] = '8';
    expect(await result()).toEqual(['warn', 'lag_high']);
    offsets.high[0] = '200';
    offsets.committed[0] = '9';
    expect(await result()).toEqual(['fail', 'lag_high']);
    offsets.high[0] = '12';
    await clock.advance(1_001);
    expect(await result()).toEqual(['warn', 'no_progress']);
    await clock.advance(1_000);
    const outcome = await check.run();
    expect(outcome).toMatchObject({
      status: 'fail',
      code: 'no_progress',
      output: '3 messages left in 2 partitions, orders[0] not moved for 2001 ms',
    });
    offsets.committed[0] = '12';
    expect(await result()).toEqual(['pass', undefined]);
  });

  it('counts what was there before the first commit where the consumer begins there', async () => {
    const { check, join } = setUpLag({ fromBeginning: true });
    join();
    expect(await check.run()).toMatchObject({ observedValue: { lag: 8 } });
  });

  it.each(['stop', 'disconnect', 'crash'])('knows no partitions after %s', async (event) => {
    const { check, join, emit } = setUpLag();
    join();
    emit('rebalancing');
    emit('heartbeat');
    expect(await check.run()).toMatchObject({ status: 'pass' });
    emit(event, { error: new Error('gone'), restart: true });
    expect(await check.run()).toMatchObject({ code: 'not_joined' });
  });

  it('C2: ends at its deadline, and asks once while the brokers do not answer', async () => {
    const { check, clock, join, admin, asked } = setUpLag();
    join();
    admin.fetchOffsets = () => {
      asked.push('again');
      return new Promise(() => {});
    };
    for (let run = 0; run < 3; run += 1) {
      const running = check.run();
      await clock.advance(1_000);
      expect(await running).toMatchObject({ output: 'no answer of the brokers: timed out' });
    }
    expect(asked).toEqual(['again']);
  });

  it('stops listening when it is removed', async () => {
    const { check, listeners } = setUpLag();
    await check.dispose();
    expect(listeners.size).toBe(0);
  });

  it('refuses what is no client, and options out of range', () => {
    const { consumer } = fakeConsumer();
    const { admin } = fakeAdmin();
    expect(() => kafkaLag({} as KafkaConsumerEventsLike, admin)).toThrow(/kafkaLag\.consumer/);
    expect(() => kafkaLag(consumer, {} as KafkaAdminLike)).toThrow(/kafkaLag\.admin must be/);
    const bad = (options: object) => () => kafkaLag(consumer, admin, options);
    expect(bad({ warnLag: -1 })).toThrow(/kafkaLag\.warnLag/);
    expect(bad({ warnLag: 10, failLag: 5 })).toThrow(/kafkaLag\.failLag must be a number from 10/);
    expect(bad({ warnStalledMs: 0 })).toThrow(/kafkaLag\.warnStalledMs/);
    expect(bad({ toleratedLag: 0.5 })).toThrow(/kafkaLag\.toleratedLag/);
    expect(bad({ fromBeginning: 'yes' })).toThrow(/kafkaLag\.fromBeginning/);
  });
});
