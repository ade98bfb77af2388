import type { Clock, Random, Timer } from '../core/clock.js';
import { contain } from '../core/contain.js';
import type { Logger } from '../core/logger.js';
import { errorText } from '../core/error-text.js';
import { onceOver } from '../core/response-over.js';
import { spreadDelays } from '../core/spread.js';
import { durationOption, functionOption } from '../core/validate.js';
import type { DrainTarget } from './drain-target.js';

/** The part of a response (HTTP/1, HTTP/2) or stream that hale uses. */
export interface StreamLike {
  end(): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
  /** Whether it has closed already. */
  readonly closed?: boolean;
  readonly destroyed?: boolean;
  /** The HTTP/2 stream below the response, which alone tells there. */
  readonly stream?: { readonly destroyed?: boolean };
}

/** How a response that does not end by itself is ended at a drain. */
export interface StreamOptions {
  /** Ends it, for example with a last event. @defaultValue `response.end()` */
  onDrain?: () => unknown;
  /** Time between `onDrain` and the cut, milliseconds. @defaultValue 5000 */
  limitMs?: number;
}

/** Responses that do not end by themselves: server-sent events, long polls, downloads without end (D3). */
export interface Streams extends DrainTarget {
  readonly size: number;
  /** Registers one; its signal aborts once nobody needs it any more, because its client left or the drain asks. */
  add(response: StreamLike, options?: StreamOptions): AbortSignal;
}

export interface StreamsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const LIMIT_MS = 5000;

interface Entry {
  readonly response: StreamLike;
  readonly onDrain: () => unknown;
  readonly limitMs: number;
  readonly over: AbortController;
  timer?: Timer;
}

/** Creates the registry with nothing in it. */
export function createStreams(options: StreamsOptions): Streams {
  return new Registry(options);
}

class Registry implements Streams {
  readonly #options: StreamsOptions;
  readonly #entries = new Set<Entry>();
  #closing = false;
  #cut = 0;
  #whenGone: (() => void) | undefined;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  add(response: StreamLike, options: StreamOptions = {}): AbortSignal {
    const { onDrain = () => response.end(), limitMs = LIMIT_MS } = options;
    const entry: Entry = {
      response,
      onDrain: functionOption('stream.onDrain', onDrain),
      limitMs: durationOption('stream.limitMs', limitMs, 0),
      over: new AbortController(),
    };
    if (hasClosed(response)) {
      // Its client left before it was registered: it will not say so again.
      entry.over.abort();
      return entry.over.signal;
    }
    this.#entries.add(entry);
    onceOver(response, () => this.#gone(entry));
    if (this.#closing) this.#tell(entry);
    return entry.over.signal;
  }

  startDraining(): void {}

  stopAccepting(windowMs: number): Promise<void> {
    this.#closing = true;
    const { clock, random } = this.#options;
    const delays = spreadDelays(this.#entries.size, windowMs, random);
    for (const [index, entry] of [...this.#entries].entries())
      entry.timer = clock.setTimeout(() => this.#tell(entry), delays[index] ?? 0);
    return Promise.resolve();
  }

  async gone(): Promise<void> {
    if (this.#entries.size > 0) await new Promise<void>((resolve) => (this.#whenGone = resolve));
    if (this.#cut > 0)
      throw new Error(`${this.#cut} streams did not end when told to and were cut`);
  }

  open(): readonly string[] {
    const { size } = this.#entries;
    return size === 0 ? [] : [`${size} stream${size === 1 ? '' : 's'}`];
  }

  async cut(): Promise<void> {
    for (const { response } of this.#entries) response.destroy();
  }

  release(): void {
    for (const { timer } of this.#entries) timer?.clear();
  }

  #tell(entry: Entry): void {
    const { clock, logger } = this.#options;
    entry.timer = clock.setTimeout(() => this.#cutOne(entry), entry.limitMs);
    entry.over.abort();
    contain(entry.onDrain, (error) => {
      const output = errorText(error);
      logger.error({ event: 'stream_hook_failed', output }, `ending a stream failed: ${output}`);
    });
  }

  #cutOne({ response, limitMs }: Entry): void {
    this.#cut += 1;
    this.#options.logger.warn(
      { event: 'stream_cut', limitMs },
      `a stream did not end within ${limitMs} ms of being told to, and was cut`,
    );
    response.destroy();
  }

  #gone(entry: Entry): void {
    entry.timer?.clear();
    entry.over.abort();
    if (this.#entries.delete(entry) && this.#entries.size === 0) this.#whenGone?.();
  }
}

function hasClosed({ closed, destroyed, stream }: StreamLike): boolean {
  return closed === true || destroyed === true || stream?.destroyed === true;
}
