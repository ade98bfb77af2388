import type { Consumer, ConsumerConfig } from 'kafkajs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type KafkaLagOptions, kafkaLag, kafkaSession } from '../../src/checks/kafkajs.js';
import type { Check } from '../../src/core/check.js';
import { systemClock } from '../../src/engine/system-clock.js';
import type { ConformanceAddress } from '../../src/testing/index.js';
import { itConforms } from '../support/conformance.js';
import { TOPIC, kafkaAt, send } from '../support/kafka-client.js';
import { harness } from '../support/run-check.js';
import { startKafka } from '../support/servers/kafka.js';
import type { ManagedServer } from '../support/servers/managed-server.js';

const TIMEOUT_MS = 400;

let server: ManagedServer;
const open: (() => unknown)[] = [];
let groups = 0;
beforeAll(async () => {
  server = await startKafka({ topic: TOPIC });
});
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});
afterAll(() => server.dispose());

const started = (check: Check) => harness(check, systemClock, TIMEOUT_MS);

/** A consumer of the topic in a group of its own, not yet running. */
async function consumer(config: Partial<ConsumerConfig> = {}) {
  const groupId = config.groupId ?? `group-${(groups += 1)}`;
  const kafka = kafkaAt(server.address);
  const made = kafka.consumer({
    // The mock waits for this long, less a second, for the members of before.
    sessionTimeout: 4_000,
    rebalanceTimeout: 3_000,
    heartbeatInterval: 100,
    maxWaitTimeInMs: 100,
    retry: { retries: 2, initialRetryTime: 100 },
    groupId,
    ...config,
  });
  open.push(() => made.disconnect());
  await made.connect();
  await made.subscribe({ topics: [TOPIC], fromBeginning: true });
  return { kafka, groupId, consumer: made };
}

async function lagCheck(of: Consumer, options: KafkaLagOptions = {}) {
  const admin = kafkaAt(server.address).admin();
  open.push(() => admin.disconnect());
  await admin.connect();
  return started(kafkaLag(of, admin, { fromBeginning: true, ...options }));
}

const joined = (of: Consumer) =>
  new Promise<void>((resolve) => void of.on('consumer.group_join', () => resolve()));

describe('kafkaSession and kafkaLag with kafkajs against the mock of a Kafka cluster', () => {
  it('C9: warns before it joins, passes as a member, also while paused, fails once stopped', async () => {
    const { consumer: orders } = await consumer();
    const session = started(kafkaSession(orders));
    const lag = await lagCheck(orders);
    const codes = async () =>
      [await session.run(), await lag.run()].map(({ status, code }) => code ?? status);
    expect(await codes()).toEqual(['not_joined', 'not_joined']);
    const member = joined(orders);
    await orders.run({ eachMessage: async () => {} });
    await member;
    await expect.poll(codes).toEqual(['pass', 'pass']);
    orders.pause([{ topic: TOPIC }]);
    await new Promise((resolve) => setTimeout(resolve, 600));
    const outcome = await session.run();
    const { sinceHeartbeatMs } = outcome.observedValue as { sinceHeartbeatMs: number };
    expect(sinceHeartbeatMs).toBeLessThan(500);
    await orders.stop();
    expect(await codes()).toEqual(['consumer_stopped', 'not_joined']);
  });

  it('C9: lag and progress apart: a consumer that works through its lag, and one that stands still', async () => {
    const { kafka, consumer: orders } = await consumer();
    const lag = await lagCheck(orders, { warnLag: 10, warnStalledMs: 300 });
    let release = () => {};
    const held = new Promise<void>((resolve) => void (release = resolve));
    const member = joined(orders);
    await send(kafka, 0, 30);
    await orders.run({
      autoCommitThreshold: 1,
      eachMessage: async ({ heartbeat }) => {
        await heartbeat();
        await held;
      },
    });
    await member;
    const first = await lag.run();
    expect(first).toMatchObject({ status: 'warn', code: 'lag_high' });
    expect(first.observedValue).toMatchObject({ lag: 30, partitions: 2 });
    await expect.poll(() => lag.run()).toMatchObject({ status: 'warn', code: 'no_progress' });
    release();
    await expect
      .poll(() => lag.run(), { timeout: 5_000 })
      .toMatchObject({ status: 'pass', observedValue: { lag: 0, stalledMs: 0 } });
  });

  it('C9: a rebalance is a warning, and another member takes its part', async () => {
    const { consumer: first, groupId } = await consumer();
    const session = started(kafkaSession(first));
    const lag = await lagCheck(first);
    const member = joined(first);
    await first.run({ eachMessage: async () => {} });
    await member;
    const again = joined(first);
    const seen = new Set<string>();
    const { consumer: second } = await consumer({ groupId });
    const running = second.run({ eachMessage: async () => {} });
    await expect
      .poll(
        async () => {
          const { status, code } = await session.run();
          seen.add(code ?? status);
          return seen.has('rebalancing');
        },
        { interval: 10, timeout: 5_000 },
      )
      .toBe(true);
    await again;
    await running;
    expect((await session.run()).status).toBe('pass');
    expect(await lag.run()).toMatchObject({ status: 'pass', observedValue: { partitions: 1 } });
  });

  it('C9: the session expires while one message takes longer than it', async () => {
    const { kafka, consumer: orders } = await consumer();
    const session = started(kafkaSession(orders, { sessionTimeoutMs: 500 }));
    let release = () => {};
    open.push(() => release());
    await send(kafka, 0, 1);
    const member = joined(orders);
    await orders.run({
      eachMessage: () => new Promise<void>((resolve) => void (release = resolve)),
    });
    await member;
    await expect
      .poll(() => session.run(), { timeout: 3_000 })
      .toMatchObject({ status: 'fail', code: 'session_expired' });
    release();
    await expect.poll(async () => (await session.run()).status, { timeout: 5_000 }).toBe('pass');
  });

  it('C9: a consumer that crashes for good is told from one that starts again', async () => {
    const { kafka, consumer: orders } = await consumer();
    const session = started(kafkaSession(orders));
    await send(kafka, 0, 1);
    await orders.run({
      eachMessage: async () => {
        throw Object.assign(new Error('no such order'), { retriable: false });
      },
    });
    await expect
      .poll(() => session.run(), { timeout: 10_000 })
      .toMatchObject({ status: 'fail', code: 'consumer_crashed' });
    expect((await session.run()).output).toMatch(/has crashed and .*: no such order/);
  });
});

describe('kafkaLag', () => {
  /** Joins once; the kit is about the admin client's way to the brokers. */
  const member = {
    on: (event: string, listener: (event: { payload: unknown }) => void) => {
      const payload = { groupId: 'orders', memberAssignment: { [TOPIC]: [0, 1] } };
      if (event === 'consumer.group_join') listener({ payload });
      return () => {};
    },
  };

  function subject(target: ConformanceAddress) {
    const retry = { retries: 1, initialRetryTime: 50, maxRetryTime: 50 };
    const admin = kafkaAt(target, { retry, connectionTimeout: 300, requestTimeout: 300 }).admin();
    const connecting = connectUntil(() => admin.connect());
    return {
      check: kafkaLag(member, admin),
      close: async () => {
        await connecting.stop();
        await admin.disconnect();
      },
    };
  }

  itConforms({
    name: 'kafkaLag',
    server: () => server,
    createSubject: subject,
    heldConnections: 2,
    exceptions: {
      wrong_password: { because: 'the mock knows no passwords' },
    },
  });
});

/** As an application does that must not wait for Kafka at its start. */
function connectUntil(connect: () => Promise<void>) {
  let stopped = false;
  const attempt = async (): Promise<void> => {
    try {
      await connect();
    } catch {
      if (!stopped) await attempt();
    }
  };
  const attempting = attempt();
  return {
    stop: () => {
      stopped = true;
      return attempting;
    },
  };
}
