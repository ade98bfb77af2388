import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { type AmqpMessageLike, amqpConsumer } from '../../src/workers/amqplib.js';
import { createLog } from '../engine/support.js';

const message = (deliveryTag: number, redelivered = false): AmqpMessageLike => ({
  fields: { deliveryTag, redelivered },
});

/** A stand-in for channels of amqplib: what each is told, and messages by hand. */
async function setUp(onMessage: (message: AmqpMessageLike) => Promise<unknown>) {
  const clock = createManualClock();
  const log = createLog();
  const seen: string[] = [];
  const channels: { deliver(message: AmqpMessageLike): void; lose(): void }[] = [];
  const openChannel = async () => {
    const name = `channel ${channels.length}`;
    let consumer: (message: AmqpMessageLike | null) => void = () => {};
    let closed: () => void = () => {};
    channels.push({ deliver: (given) => consumer(given), lose: () => closed() });
    return {
      consume: async (_queue: string, listener: typeof consumer) => {
        consumer = listener;
        return { consumerTag: name };
      },
      cancel: async () => {},
      ack: ({ fields }: AmqpMessageLike) => void seen.push(`${name}: ack ${fields.deliveryTag}`),
      nack: ({ fields }: AmqpMessageLike, _all?: boolean, requeue?: boolean) =>
        void seen.push(`${name}: nack ${fields.deliveryTag} ${requeue}`),
      close: async () => {},
      on(event: string, listener: () => void) {
        if (event === 'close') closed = listener;
      },
    };
  };
  const adapter = amqpConsumer({ queue: 'mail', openChannel, onMessage });
  const lost = () => void adapter.resume();
  adapter.start?.({ clock, logger: log.logger, jobEnded() {}, lost });
  await adapter.resume();
  return { adapter, clock, channels, log, seen };
}

describe('an amqplib consumer', () => {
  it('D4: never names a message of a lost channel on the one that came after it', async () => {
    const release = { finish: () => {} };
    const { adapter, channels, clock, seen } = await setUp(
      () => new Promise<void>((resolve) => void (release.finish = resolve)),
    );
    channels[0]?.deliver(message(1));
    channels[0]?.lose();
    await clock.settle();
    channels[1]?.deliver(message(2));
    await adapter.giveBack?.();
    release.finish();
    await clock.settle();
    expect(channels).toHaveLength(2);
    expect(seen).toEqual(['channel 1: nack 2 true']);
    expect(adapter.active()).toEqual([]);
  });

  it('D4: a message that fails is logged, requeued once, and then left to the dead letters', async () => {
    const { channels, clock, log, seen } = await setUp(() => Promise.reject(new Error('no SMTP')));
    channels[0]?.deliver(message(1));
    channels[0]?.deliver(message(2, true));
    await clock.settle();
    expect(seen).toEqual(['channel 0: nack 1 true', 'channel 0: nack 2 false']);
    expect(log.lines.map(({ fields }) => fields)).toEqual([
      { event: 'message_failed', queue: 'mail', requeued: true, output: 'no SMTP' },
      { event: 'message_failed', queue: 'mail', requeued: false, output: 'no SMTP' },
    ]);
  });
});
