import { untilAborted } from '../core/abort.js';
import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import { type ClientSource, currentClient } from '../core/client-source.js';
import { createRoundTrip } from '../core/round-trip.js';
import { textOption } from '../core/validate.js';

/** The part of a `Channel` of amqplib that {@link amqpConnection} uses. */
export interface AmqpCheckChannelLike {
  checkExchange(exchange: string): Promise<unknown>;
  close(): Promise<unknown>;
  on(event: string, listener: () => void): unknown;
}

/**
 * The part of a connection of amqplib (0.10, 1, 2; promise API) that {@link amqpConnection} uses; a recovering one fits
 * too.
 */
export interface AmqpConnectionLike {
  /** Of a recovering one there is none. */
  readonly connection?: unknown;
  createChannel(): Promise<AmqpCheckChannelLike>;
  on(event: string, listener: (reason?: unknown) => void): unknown;
  removeListener(event: string, listener: (reason?: unknown) => void): unknown;
}

/** Options of {@link amqpConnection}. */
export interface AmqpConnectionOptions extends CheckOptions {
  /** An exchange that exists; every virtual host has the default. @defaultValue 'amq.direct' */
  exchange?: string;
}

/**
 * Asks the broker for an exchange (a passive declare) on a channel of its own, kept open on the application's
 * connection; the wait ends with the run's signal. A refusal closes that channel only, never one of the application's.
 *
 * - pass: the broker answered.
 * - warn: the broker has blocked the connection for want of memory or disk: it takes no publications and answers nothing
 *   on it until the alarm ends (`connection_blocked`). RabbitMQ tells that only a connection that publishes.
 * - fail: there is no connection yet or it is being recovered (`not_connected`); it is closed and does not come back by
 *   itself (`connection_closed`); there is no such exchange; or there was no answer before the timeout.
 *
 * Suggested impact: `critical` where requests publish, otherwise `degraded`. Cost: one question per run, and one channel
 * of the connection; while a question is unanswered no other is sent.
 * @param connection - the connection, or a function that gives the present one
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no connection or an option out of range
 */
export function amqpConnection(
  connection: ClientSource<AmqpConnectionLike>,
  options: AmqpConnectionOptions = {},
): Check {
  const { exchange = 'amq.direct', ...checkOptions } = options;
  textOption('amqpConnection.exchange', exchange);
  const current = currentClient(connection, {
    option: 'amqpConnection.connection',
    accepted: 'a connection of amqplib',
    isClient: ({ createChannel, on }) =>
      typeof createChannel === 'function' && typeof on === 'function',
  });
  const links = createLinks();
  const roundTrip = createRoundTrip((link: Link) => link.ask(exchange));
  return {
    componentType: 'component',
    measurement: 'responseTime',
    ...checkOptions,
    start: () => {
      const present = current();
      // From now on, so that what happens before the first run is not missed.
      if (present !== undefined) links.of(present);
    },
    run: async (signal) => {
      const present = current();
      if (present === undefined) return TROUBLES.absent;
      const link = links.of(present);
      if (link.trouble !== undefined) return TROUBLES[link.trouble];
      const noAnswer = () => new Error('no answer of the broker', { cause: signal.reason });
      try {
        await untilAborted(roundTrip(link, signal, noAnswer), link.untilTrouble);
      } catch (error) {
        // Told by the client meanwhile, and the better reason.
        if (link.trouble !== undefined) return TROUBLES[link.trouble];
        throw error;
      }
    },
    dispose: () => links.release(),
  };
}

/** What is wrong with a connection, as its client tells. */
type Trouble = 'blocked' | 'away' | 'closed';

const TROUBLES: Readonly<Record<Trouble | 'absent', CheckResult>> = {
  absent: { status: 'fail', code: 'not_connected', output: 'there is no connection yet' },
  away: { status: 'fail', code: 'not_connected', output: 'the connection is being recovered' },
  closed: { status: 'fail', code: 'connection_closed', output: 'the connection is closed' },
  blocked: {
    status: 'warn',
    code: 'connection_blocked',
    output: 'the broker has blocked the connection: it is short of memory or disk',
  },
};

/** After each event of a connection; only a recovering one is lost without being closed. */
const EVENTS: Readonly<Record<string, Trouble | undefined>> = {
  blocked: 'blocked',
  unblocked: undefined,
  disconnect: 'away',
  connect: undefined,
  'reconnect-failed': 'closed',
  close: 'closed',
};

function createLinks() {
  let known = new WeakMap<AmqpConnectionLike, Link>();
  const live = new Set<Link>();
  return {
    of(connection: AmqpConnectionLike): Link {
      const link = known.get(connection) ?? new Link(connection, () => live.delete(link));
      known.set(connection, link);
      if (link.trouble !== 'closed') live.add(link);
      return link;
    },
    release(): void {
      for (const link of live) link.release();
      live.clear();
      known = new WeakMap();
    },
  };
}

/** What the check knows of one connection, and its channel there. */
class Link {
  readonly #connection: AmqpConnectionLike;
  readonly #listeners: readonly (readonly [event: string, listener: () => void])[];
  #trouble: Trouble | undefined;
  #untilTrouble = new AbortController();
  #channel: AmqpCheckChannelLike | undefined;
  #released = false;

  constructor(connection: AmqpConnectionLike, onClosed: () => void) {
    this.#connection = connection;
    this.#listeners = Object.entries(EVENTS).map(([event, trouble]) => {
      const listener = () => {
        this.#note(trouble);
        if (trouble !== 'closed') return;
        this.release();
        onClosed();
      };
      connection.on(event, listener);
      return [event, listener];
    });
    if (isBlockedAlready(connection)) this.#note('blocked');
  }

  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  /** Aborts when trouble comes. */
  get untilTrouble(): AbortSignal {
    return this.#untilTrouble.signal;
  }

  async ask(exchange: string): Promise<void> {
    const channel = this.#channel ?? (await this.#open());
    await channel.checkExchange(exchange);
  }

  release(): void {
    this.#released = true;
    for (const [event, listener] of this.#listeners)
      this.#connection.removeListener(event, listener);
    const channel = this.#channel;
    this.#channel = undefined;
    if (channel !== undefined) closeQuietly(channel);
  }

  #note(trouble: Trouble | undefined): void {
    this.#trouble = trouble;
    if (trouble === undefined) this.#untilTrouble = new AbortController();
    else this.#untilTrouble.abort(new Error(TROUBLES[trouble].output));
  }

  async #open(): Promise<AmqpCheckChannelLike> {
    const channel = await this.#connection.createChannel();
    const forget = () => {
      if (this.#channel === channel) this.#channel = undefined;
    };
    // The broker closes a channel with an error, which nobody else listens for; unheard it would end the process.
    channel.on('error', forget);
    channel.on('close', forget);
    this.#channel = channel;
    // Waited for while the check was removed.
    if (this.#released) this.release();
    return channel;
  }
}

/** A connection of amqplib 1 and later knows it; of 0.10 only its event tells. */
function isBlockedAlready(model: AmqpConnectionLike): boolean {
  return (model.connection as { blocked?: unknown } | null | undefined)?.blocked === true;
}

function closeQuietly(channel: AmqpCheckChannelLike): void {
  (async () => channel.close())().catch(() => {});
}
