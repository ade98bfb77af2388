import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/core/logger.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { type KafkaPayloadLike, kafkaConsumer } from '../../src/workers/kafkajs.js';

/** A stand-in for a KafkaJS consumer: what it is told, and messages by hand. */
function setUp() {
  const seen: string[] = [];
  const commits: string[] = [];
  let eachMessage: ((payload: KafkaPayloadLike) => Promise<void>) | undefined;
  const release = { finish: () => {} };
  let heartbeats = 0;
  const consumer = {
    run: async (config: { eachMessage: (payload: KafkaPayloadLike) => Promise<void> }) => {
      seen.push('run');
      eachMessage = config.eachMessage;
    },
    pause: ([first]: { topic: string }[]) => void seen.push(`pause ${first?.topic}`),
    resume: ([first]: { topic: string }[]) => void seen.push(`resume ${first?.topic}`),
    stop: async () => void seen.push('stop'),
    disconnect: async () => void seen.push('disconnect'),
  };
  const started: string[] = [];
  const clock = createManualClock();
  let ended = 0;
  const adapter = kafkaConsumer(consumer, {
    topics: ['orders'],
    eachMessage: ({ message }: KafkaPayloadLike) => {
      started.push(message.offset);
      return new Promise<void>((resolve) => void (release.finish = resolve));
    },
  });
  adapter.start?.({ clock, logger: silentLogger, jobEnded: () => void (ended += 1), lost() {} });
  const deliver = async (offset: string) => {
    try {
      await eachMessage?.({
        topic: 'orders',
        partition: 0,
        message: { offset },
        heartbeat: async () => void (heartbeats += 1),
      });
      commits.push(offset);
    } catch {
      seen.push(`refused ${offset}`);
    }
  };
  const beats = () => heartbeats;
  return { adapter, seen, commits, started, clock, deliver, release, beats, ended: () => ended };
}

describe('a KafkaJS consumer', () => {
  it('D4: runs when jobs may be taken, pauses and resumes its topics, leaves at the end', async () => {
    const { adapter, seen, deliver, commits, release, clock, ended } = setUp();
    await adapter.pause();
    expect(seen).toEqual([]);
    await adapter.resume();
    const work = deliver('15');
    await clock.settle();
    expect(adapter.active()).toEqual(['orders[0]@15']);
    await adapter.pause();
    await adapter.resume();
    release.finish();
    await work;
    await adapter.whenIdle();
    await adapter.close();
    expect(seen).toEqual(['run', 'pause orders', 'resume orders', 'disconnect']);
    expect([commits, ended()]).toEqual([['15'], 1]);
  });

  it('D4: a message fetched before the pause waits, with heartbeats, and starts after it', async () => {
    const { adapter, started, deliver, clock, release, beats } = setUp();
    await adapter.resume();
    await adapter.pause();
    const work = deliver('16');
    await clock.advance(10_000);
    expect([started, beats()]).toEqual([[], 3]);
    await adapter.resume();
    await clock.settle();
    expect(started).toEqual(['16']);
    release.finish();
    await work;
  });

  it('D4: what is given back is not committed; the consumer is stopped first', async () => {
    const { adapter, seen, commits, deliver, clock } = setUp();
    await adapter.resume();
    const work = deliver('17');
    await clock.settle();
    await adapter.pause();
    adapter.giveBack?.();
    await work;
    await adapter.whenIdle();
    expect(seen.slice(-2)).toEqual(['stop', 'refused 17']);
    expect(commits).toEqual([]);
  });

  it('D4: a message that waits at the end is refused, so that another member gets it', async () => {
    const { adapter, seen, deliver, started } = setUp();
    await adapter.resume();
    await adapter.pause();
    const work = deliver('18');
    await adapter.close();
    await work;
    expect([seen.at(-1), started]).toEqual(['refused 18', []]);
  });
});
