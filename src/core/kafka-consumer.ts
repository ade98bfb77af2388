import type { CheckContext } from './check.js';
import type { Clock } from './clock.js';
import type { SessionEvent } from './consumer-session.js';
import { errorText } from './error-text.js';
import { HaleError } from './errors.js';

/** Events of a consumer of kafkajs that checks listen to. */
export type KafkaConsumerEvent =
  | 'consumer.heartbeat'
  | 'consumer.group_join'
  | 'consumer.rebalancing'
  | 'consumer.stop'
  | 'consumer.disconnect'
  | 'consumer.crash';

/** The part of a `Consumer` of kafkajs (2) that checks of it use: its events. */
export interface KafkaConsumerEventsLike {
  on(
    event: KafkaConsumerEvent,
    listener: (event: { readonly payload: unknown }) => void,
  ): () => void;
}

/** The partitions that a member of a group was given. */
export interface KafkaMembership {
  readonly groupId: string;
  readonly memberAssignment: Readonly<Record<string, readonly number[]>>;
}

/** What happens to a consumer, with what it was given when it joins. */
export type KafkaEvent =
  | Exclude<SessionEvent, { readonly kind: 'joined' }>
  | { readonly kind: 'joined'; readonly membership: KafkaMembership };

/** What each event of a consumer means. */
const EVENTS: Readonly<Record<KafkaConsumerEvent, (payload: unknown) => KafkaEvent>> = {
  'consumer.heartbeat': () => ({ kind: 'beat' }),
  'consumer.group_join': (payload) => ({ kind: 'joined', membership: payload as KafkaMembership }),
  'consumer.rebalancing': () => ({ kind: 'rebalancing' }),
  'consumer.stop': () => ({ kind: 'stopped' }),
  'consumer.disconnect': () => ({ kind: 'stopped' }),
  'consumer.crash': (payload) => {
    const { error, restart } = payload as { error: unknown; restart: boolean };
    return { kind: 'crashed', error: errorText(error), restarts: restart };
  },
};

/** Listens to a consumer between `start` and `stop`. */
export interface KafkaFollower {
  start(context: CheckContext): void;
  stop(): void;
  /**
   * The clock it was started with.
   * @throws HaleError (`HALE_STATE`) before its start
   */
  clock(): Clock;
}

/**
 * Makes a follower that tells what happens to a consumer.
 * @param check - named in the error of a run before its start
 */
export function followKafkaConsumer(
  check: string,
  consumer: KafkaConsumerEventsLike,
  onEvent: (event: KafkaEvent, clock: Clock) => void,
): KafkaFollower {
  let clock: Clock | undefined;
  let removers: (() => void)[] = [];
  return {
    start(context) {
      if (clock !== undefined) return;
      const started = context.clock;
      clock = started;
      removers = (Object.keys(EVENTS) as KafkaConsumerEvent[]).map((name) =>
        consumer.on(name, ({ payload }) => onEvent(EVENTS[name](payload), started)),
      );
    },
    stop() {
      for (const remove of removers) remove();
      removers = [];
      clock = undefined;
    },
    clock() {
      if (clock !== undefined) return clock;
      throw new HaleError('HALE_STATE', `${check} runs only after its start()`);
    },
  };
}
