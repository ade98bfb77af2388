import { errorText } from '../core/error-text.js';
import { createJobSet } from '../core/job-set.js';
import { functionOption, textOption } from '../core/validate.js';
import type { WorkerAdapter, WorkerContext } from '../core/worker.js';

/** What hale uses of a message of amqplib. */
export interface AmqpMessageLike {
  readonly fields: { readonly deliveryTag: number; readonly redelivered: boolean };
}

/** What hale uses of a `Channel` of amqplib 0.10 and later. */
export interface AmqpChannelLike<M extends AmqpMessageLike, O> {
  consume(
    queue: string,
    onMessage: (message: M | null) => void,
    options?: O,
  ): Promise<{ consumerTag: string }>;
  cancel(consumerTag: string): Promise<unknown>;
  ack(message: M): void;
  nack(message: M, allUpTo?: boolean, requeue?: boolean): void;
  close(): Promise<unknown>;
  on(event: 'close' | 'error', listener: (error?: unknown) => void): unknown;
}

/** Options of {@link amqpConsumer}. */
export interface AmqpConsumerOptions<M extends AmqpMessageLike, O> {
  queue: string;
  /**
   * Opens a channel of its own for this consumer, with its prefetch set; called again after the channel has been
   * lost, so it also opens a new connection where the old one is gone.
   */
  openChannel: () => Promise<AmqpChannelLike<M, O>>;
  /**
   * Does one message, acknowledged when it resolves. When it rejects, the message is requeued once and then left to
   * the queue's dead letters. The signal aborts when the message is given back.
   */
  onMessage: (message: M, signal: AbortSignal) => Promise<unknown>;
  /** Options of `channel.consume`. */
  consume?: O;
}

interface Delivery<M extends AmqpMessageLike, O> {
  readonly message: M;
  /** The one it came on: another channel does not know the message, and is closed for naming it. */
  readonly channel: AmqpChannelLike<M, O>;
  readonly controller: AbortController;
  readonly end: () => void;
  settled: boolean;
}

/**
 * A consumer of one RabbitMQ queue with amqplib: cancelled while paused, so that the broker gives the messages to
 * others; what arrives on the way is put back.
 * @throws OptionError on a bad option.
 */
export function amqpConsumer<M extends AmqpMessageLike, O>(
  options: AmqpConsumerOptions<M, O>,
): WorkerAdapter {
  textOption('amqpConsumer.queue', options.queue);
  functionOption('amqpConsumer.openChannel', options.openChannel);
  functionOption('amqpConsumer.onMessage', options.onMessage);
  return new AmqpAdapter(options);
}

class AmqpAdapter<M extends AmqpMessageLike, O> implements WorkerAdapter {
  readonly #options: AmqpConsumerOptions<M, O>;
  readonly #jobs = createJobSet();
  readonly #deliveries = new Set<Delivery<M, O>>();
  #channel: AmqpChannelLike<M, O> | undefined;
  #tag: string | undefined;
  #wanted = false;
  #context: WorkerContext | undefined;
  /** Calls to the broker one after the other, so that a late answer cannot undo a later wish. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: AmqpConsumerOptions<M, O>) {
    this.#options = options;
  }

  start(context: WorkerContext): void {
    this.#context = context;
  }

  pause(): Promise<void> {
    this.#wanted = false;
    return this.#next(() => this.#cancel());
  }

  resume(): Promise<void> {
    this.#wanted = true;
    return this.#next(() => this.#consume());
  }

  active(): readonly string[] {
    return this.#jobs.labels();
  }

  whenIdle(): Promise<void> {
    return this.#jobs.whenIdle();
  }

  giveBack(): void {
    for (const delivery of [...this.#deliveries]) {
      this.#settle(delivery, () => delivery.channel.nack(delivery.message, false, true));
      delivery.controller.abort(new Error('the message has been given back'));
    }
  }

  close(): Promise<void> {
    this.#wanted = false;
    return this.#next(async () => {
      const channel = this.#channel;
      this.#forget();
      // A graceful close: what has been acknowledged before is on its way to the broker first.
      await channel?.close();
    });
  }

  #next(step: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(step);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #consume(): Promise<void> {
    if (!this.#wanted || this.#tag !== undefined) return;
    const { queue, consume } = this.#options;
    const channel = this.#channel ?? (await this.#open());
    const onMessage = (message: M | null): void => this.#onMessage(channel, message);
    const { consumerTag } = await channel.consume(queue, onMessage, consume);
    if (channel === this.#channel) this.#tag = consumerTag;
  }

  async #cancel(): Promise<void> {
    const tag = this.#tag;
    this.#tag = undefined;
    if (tag !== undefined) await this.#channel?.cancel(tag);
  }

  async #open(): Promise<AmqpChannelLike<M, O>> {
    const channel = await this.#options.openChannel();
    this.#channel = channel;
    const gone = (error?: unknown): void => {
      if (channel !== this.#channel) return;
      this.#forget();
      this.#context?.lost(error ?? new Error('the channel has been closed'));
    };
    channel.on('close', gone);
    channel.on('error', gone);
    return channel;
  }

  /** The broker requeues by itself what a lost channel had not acknowledged. */
  #forget(): void {
    this.#channel = undefined;
    this.#tag = undefined;
  }

  #onMessage(channel: AmqpChannelLike<M, O>, message: M | null): void {
    if (message === null) {
      // The queue was deleted or its node has gone; the channel lives on.
      this.#tag = undefined;
      this.#context?.lost(new Error('the broker has cancelled the consumer'));
    } else if (this.#wanted) void this.#handle(channel, message);
    else channel.nack(message, false, true);
  }

  async #handle(channel: AmqpChannelLike<M, O>, message: M): Promise<void> {
    const { queue, onMessage } = this.#options;
    const delivery: Delivery<M, O> = {
      message,
      channel,
      controller: new AbortController(),
      end: this.#jobs.begin(`${queue} #${message.fields.deliveryTag}`),
      settled: false,
    };
    this.#deliveries.add(delivery);
    try {
      await onMessage(message, delivery.controller.signal);
      this.#settle(delivery, () => channel.ack(message));
    } catch (error) {
      const requeued = !message.fields.redelivered;
      this.#logFailure(delivery, requeued, error);
      this.#settle(delivery, () => channel.nack(message, false, requeued));
    }
    this.#context?.jobEnded();
  }

  #logFailure({ settled }: Delivery<M, O>, requeued: boolean, error: unknown): void {
    // One that was given back ends by its signal, which is no failure.
    if (settled) return;
    const { queue } = this.#options;
    const fields = { event: 'message_failed', queue, requeued, output: errorText(error) };
    this.#context?.logger.error(fields, `a message of queue "${queue}" failed`);
  }

  #settle(delivery: Delivery<M, O>, tell: () => unknown): void {
    if (delivery.settled) return;
    delivery.settled = true;
    this.#deliveries.delete(delivery);
    try {
      if (delivery.channel === this.#channel) tell();
    } catch (error) {
      this.#context?.lost(error);
    }
    delivery.end();
  }
}
