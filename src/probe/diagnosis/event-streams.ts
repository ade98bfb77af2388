import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../core/clock.js';
import type { Diagnosis } from '../../core/diagnosis.js';
import { STATUS_EVENTS_PATH } from '../../core/path-sets.js';
import { diagnosisJson } from '../../protocol/diagnosis-json.js';
import { NO_CACHE } from '../../protocol/probe-body.js';
import { encodeSteps } from '../encoded.js';
import type { Pace } from '../pace.js';
import { type ProbeResponse, refusal } from '../prepared.js';
import { parseTarget } from '../routes.js';
import type { Audience } from './audience.js';
import type { DocumentOptions } from './document.js';

/** The document as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export interface EventStreams {
  /**
   * Opens a stream for a request for the events, or returns what is to be answered instead; `undefined` when it asks
   * for something else.
   */
  take(request: IncomingMessage, response: ServerResponse): ProbeResponse | 'taken' | undefined;
  /** Ends every stream. */
  close(): void;
}

export interface EventStreamsOptions {
  readonly clock: Pick<Clock, 'now' | 'setTimeout'>;
  readonly audience: Pick<Audience, 'stay'>;
  readonly pace: Pace;
  readonly document: (options: DocumentOptions) => Generator<undefined, Diagnosis, undefined>;
  /** Bytes under way to readers that do not keep up, of all of them together. @defaultValue 32e6 */
  readonly maxUnderWay?: number;
  readonly onError: (error: unknown) => void;
}

/** A team on an incident call, and each with two windows. */
const MAX_STREAMS = 16;
const EVERY_MS = 1000;
/** Readers that come together, as after a restart, get one document. */
const SHARED_MS = 250;
/** Making documents and sending them takes at most this share of the thread, which has probes to answer. */
const SHARE = 0.02;
const SLOWEST_MS = 10_000;
/** Whoever reads nothing for this long has gone without saying so, and holds a place that others want. */
const STUCK_MS = 60_000;
const MAX_UNDER_WAY = 32e6;

const TOO_MANY = refusal(503, 'too many streams', ['Retry-After', '5']);
const FAILED = refusal(500, 'internal error');
const NOT_ALLOWED = refusal(405, 'method not allowed', ['Allow', 'GET']);

const HEADERS = [
  'Content-Type',
  'text/event-stream; charset=utf-8',
  'Cache-Control',
  `${NO_CACHE}, no-transform`,
  'X-Content-Type-Options',
  'nosniff',
  // nginx would gather events until a buffer is full.
  'X-Accel-Buffering',
  'no',
];

interface Stream {
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly history: boolean;
  /** Whether it has got its first event; the others are for those that have. */
  begun: boolean;
  /** What is under way, and since when in monotonic time; undefined while the reader keeps up. */
  stuck: { readonly since: number; readonly length: number } | undefined;
  readonly leave: () => void;
}

/** Creates it without a stream; no timer runs while there is none. */
export function createEventStreams(options: EventStreamsOptions): EventStreams {
  return new Streams(options);
}

class Streams implements EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #open = new Set<Stream>();
  /** The last events by whether they have history. */
  readonly #events = new Map<boolean, { readonly at: number; readonly event: Uint8Array }>();
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  take(request: IncomingMessage, response: ServerResponse): ProbeResponse | 'taken' | undefined {
    const { path, query } = parseTarget(request.url ?? '/');
    if (path !== STATUS_EVENTS_PATH) return undefined;
    if (request.method !== 'GET') return request.method === 'HEAD' ? NOT_ALLOWED.head : NOT_ALLOWED;
    const { socket } = request;
    // What is asked behind a stream on one connection would never be sent, and nobody would be told of its end.
    const behind = [...this.#open].some((stream) => stream.socket === socket);
    if (behind || this.#open.size >= MAX_STREAMS || this.#closed) return TOO_MANY;
    this.#begin({ socket, response }, new URLSearchParams(query).get('history') !== 'none');
    return 'taken';
  }

  close(): void {
    this.#closed = true;
    this.#timer?.clear();
    for (const { response } of this.#open) response.end();
  }

  #begin({ socket, response }: Pick<Stream, 'socket' | 'response'>, history: boolean): void {
    const { audience, pace, onError } = this.#options;
    const leave = audience.stay();
    const stream: Stream = { response, socket, history, begun: false, stuck: undefined, leave };
    this.#open.add(stream);
    const left = (): void => {
      this.#open.delete(stream);
      leave();
    };
    response.once('close', left);
    // A response that still waits for the one before it hears nothing of the end of its connection.
    socket.once('close', left);
    // What went wrong with a connection is its reader's business.
    response.on('error', () => {});
    response.on('drain', () => (stream.stuck = undefined));
    pace.run(this.#firstEvent(stream), {
      done: () => this.#plan(EVERY_MS),
      failed(error) {
        onError(error);
        refuse(response);
      },
    });
  }

  *#firstEvent(stream: Stream): Generator<undefined, void, undefined> {
    // Before anything is written: what fails is still answered 500.
    const event = yield* this.#event(stream.history);
    if (!this.#open.has(stream) || this.#closed) return;
    stream.begun = true;
    stream.response.writeHead(200, HEADERS);
    this.#send(stream, event);
  }

  #plan(delayMs: number): void {
    if (this.#closed) return;
    this.#timer ??= this.#options.clock.setTimeout(() => this.#turn(), delayMs);
  }

  #turn(): void {
    const { pace, onError } = this.#options;
    this.#events.clear();
    if (this.#open.size === 0) this.#timer = undefined;
    if (this.#open.size === 0 || this.#closed) return;
    const next = (spentMs: number): void => {
      this.#timer = undefined;
      this.#plan(Math.min(SLOWEST_MS, Math.max(EVERY_MS, spentMs / SHARE)));
    };
    pace.run(this.#sendAll(), {
      done: (_, spentMs) => next(spentMs),
      failed(error) {
        onError(error);
        next(0);
      },
    });
  }

  *#sendAll(): Generator<undefined, void, undefined> {
    this.#cutStuck(this.#options.clock.now());
    const events = new Map<boolean, Uint8Array>();
    for (const stream of [...this.#open]) {
      if (!stream.begun || stream.stuck !== undefined) continue;
      const { history } = stream;
      const event = events.get(history) ?? (yield* this.#event(history));
      events.set(history, event);
      if (this.#closed) return;
      if (this.#open.has(stream)) this.#send(stream, event);
      yield;
    }
  }

  /** Ends what waits for too long; and what waits longest, while too much is waiting. */
  #cutStuck(now: number): void {
    const stuck = [...this.#open]
      .flatMap(({ socket, stuck: waiting }) => (waiting ? [{ socket, ...waiting }] : []))
      .toSorted((one, other) => one.since - other.since);
    let underWay = stuck.reduce((sum, { length }) => sum + length, 0);
    const { maxUnderWay = MAX_UNDER_WAY } = this.#options;
    for (const { socket, since, length } of stuck) {
      if (now - since < STUCK_MS && underWay <= maxUnderWay) return;
      socket.destroy();
      underWay -= length;
    }
  }

  /** One for all who want the same at the same time. */
  *#event(history: boolean): Generator<undefined, Uint8Array, undefined> {
    const { clock, document } = this.#options;
    const known = this.#events.get(history);
    if (known !== undefined && clock.now() - known.at < SHARED_MS) return known.event;
    const event = yield* encodeSteps(eventParts(yield* document({ history })));
    this.#events.set(history, { at: clock.now(), event });
    return event;
  }

  /** A reader that does not keep up misses events in between: nothing waits for it but what is under way. */
  #send(stream: Stream, event: Uint8Array): void {
    const { clock } = this.#options;
    if (!stream.response.write(event)) stream.stuck = { since: clock.now(), length: event.length };
  }
}

function* eventParts(document: Diagnosis): Generator<string, void, undefined> {
  yield 'event: diagnosis\ndata: ';
  yield* diagnosisJson(document);
  yield '\n\n';
}

function refuse(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(FAILED.status, FAILED.headers as string[]).end(FAILED.body);
}
