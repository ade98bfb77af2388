import { untilAborted } from '../core/abort.js';
import type { Timer } from '../core/clock.js';
import { createJobSet } from '../core/job-set.js';
import { functionOption, textsOption } from '../core/validate.js';
import type { WorkerAdapter, WorkerContext } from '../core/worker.js';

/** What hale uses of the payload of `eachMessage`. */
export interface KafkaPayloadLike {
  readonly topic: string;
  readonly partition: number;
  readonly message: { readonly offset: string };
  heartbeat(): Promise<void>;
}

/** What hale uses of a `Consumer` of kafkajs 2. */
export interface KafkaConsumerLike<P extends KafkaPayloadLike> {
  run(config: { eachMessage: (payload: P) => Promise<void> }): Promise<void>;
  pause(topics: { topic: string }[]): void;
  resume(topics: { topic: string }[]): void;
  stop(): Promise<void>;
  disconnect(): Promise<void>;
}

/** Options of {@link kafkaConsumer}. */
export interface KafkaConsumerOptions<P extends KafkaPayloadLike, C> {
  /** The topics the consumer has subscribed to. */
  topics: readonly string[];
  /** Does one message. The signal aborts when it is given back: its offset is not committed then. */
  eachMessage: (payload: P, signal: AbortSignal) => Promise<void>;
  /** Further options of `consumer.run`. */
  run?: C;
}

/** A message that waits must not cost the consumer its place in the group (`sessionTimeout` is 30 s). */
const HEARTBEAT_MS = 3000;

/**
 * A KafkaJS consumer, connected and subscribed by you, run by hale: `run` is called when jobs may be taken for the
 * first time. While paused the consumer stays in its group; a message fetched before the pause waits.
 * @throws OptionError on a bad option.
 */
export function kafkaConsumer<P extends KafkaPayloadLike, C extends object = object>(
  consumer: KafkaConsumerLike<P>,
  options: KafkaConsumerOptions<P, C>,
): WorkerAdapter {
  textsOption('kafkaConsumer.topics', options.topics);
  functionOption('kafkaConsumer.eachMessage', options.eachMessage);
  return new KafkaAdapter(consumer, options);
}

class KafkaAdapter<P extends KafkaPayloadLike, C extends object> implements WorkerAdapter {
  readonly #consumer: KafkaConsumerLike<P>;
  readonly #options: KafkaConsumerOptions<P, C>;
  readonly #topics: { topic: string }[];
  readonly #jobs = createJobSet();
  readonly #controller = new AbortController();
  #context: WorkerContext | undefined;
  #wanted = false;
  #running: Promise<void> | undefined;
  #isRunning = false;
  readonly #waiting = new Set<() => void>();

  constructor(consumer: KafkaConsumerLike<P>, options: KafkaConsumerOptions<P, C>) {
    this.#consumer = consumer;
    this.#options = options;
    this.#topics = options.topics.map((topic) => ({ topic }));
  }

  start(context: WorkerContext): void {
    this.#context = context;
  }

  pause(): void {
    this.#wanted = false;
    // Before `run` has resolved there is no group to pause in; it is paused right after.
    if (this.#isRunning) this.#consumer.pause(this.#topics);
  }

  async resume(): Promise<void> {
    this.#wanted = true;
    for (const release of [...this.#waiting]) release();
    if (this.#isRunning) this.#consumer.resume(this.#topics);
    else await (this.#running ??= this.#run());
  }

  active(): readonly string[] {
    return this.#jobs.labels();
  }

  whenIdle(): Promise<void> {
    return this.#jobs.whenIdle();
  }

  /** Uncommitted offsets are what Kafka gives to another member once this one has left the group. */
  giveBack(): void {
    // Stopped first: KafkaJS would take the rejection for a failure and try the message again.
    void this.#consumer.stop().catch(() => {});
    this.#controller.abort(new Error('the message has been given back'));
  }

  close(): Promise<void> {
    const left = this.#consumer.disconnect();
    this.#controller.abort(new Error('the consumer has been closed'));
    return left;
  }

  async #run(): Promise<void> {
    const eachMessage = (payload: P): Promise<void> => this.#eachMessage(payload);
    try {
      await this.#consumer.run({ ...this.#options.run, eachMessage });
      this.#isRunning = true;
      if (!this.#wanted) this.#consumer.pause(this.#topics);
    } finally {
      this.#running = undefined;
    }
  }

  async #eachMessage(payload: P): Promise<void> {
    await this.#untilWanted(payload);
    const { topic, partition, message } = payload;
    const end = this.#jobs.begin(`${topic}[${partition}]@${message.offset}`);
    try {
      await this.#untilGivenBack(this.#options.eachMessage(payload, this.#controller.signal));
    } finally {
      end();
      this.#context?.jobEnded();
    }
  }

  /** A message that is not to start waits here; once the consumer closes it is refused, and so not committed. */
  async #untilWanted(payload: P): Promise<void> {
    while (!this.#wanted && !this.#controller.signal.aborted) {
      await this.#untilGivenBack(this.#releasedOrLate());
      await payload.heartbeat();
    }
    this.#controller.signal.throwIfAborted();
  }

  #releasedOrLate(): Promise<void> {
    return new Promise((resolve) => {
      const release = (): void => {
        timer?.clear();
        this.#waiting.delete(release);
        resolve();
      };
      const timer: Timer | undefined = this.#context?.clock.setTimeout(release, HEARTBEAT_MS);
      this.#waiting.add(release);
    });
  }

  #untilGivenBack<T>(work: Promise<T>): Promise<T> {
    return untilAborted(work, this.#controller.signal);
  }
}
