import { untilAborted } from '../core/abort.js';
import type { Clock, Random } from '../core/clock.js';
import { errorText } from '../core/error-text.js';
import { type FetchLike, type HttpTarget, discardBody, httpRequest } from '../core/http-client.js';
import type { Logger } from '../core/logger.js';

export interface WebhookQueueOptions {
  readonly target: HttpTarget;
  readonly headers: Record<string, string>;
  readonly fetch: FetchLike | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly timeoutMs: number;
  readonly attempts: number;
}

/** Sends bodies to a webhook, one after the other, in order. */
export interface WebhookQueue {
  readonly pending: number;
  push(body: string): void;
  /** Tries once more what is pending, without waiting; what is not taken then is lost. Ends with the signal. */
  flush(signal: AbortSignal): Promise<void>;
  /** What is pending is lost. Idempotent. */
  dispose(): void;
}

/** Creates an empty queue. */
export function createWebhookQueue(options: WebhookQueueOptions): WebhookQueue {
  return new Queue(options);
}

/** More than a webhook that is away should be told when it is back. */
const MOST_PENDING = 100;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** Other hooks of the shutdown wait for this. */
const LONGEST_FLUSH_MS = 2000;
/** A `Retry-After` beyond this is not waited for. */
const LONGEST_ASKED_PAUSE_MS = 300_000;

/** How an attempt ended; a failure that another attempt may mend says when, if the other side did. */
type Attempt =
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string; readonly afterMs?: number };

class Queue implements WebhookQueue {
  readonly #options: WebhookQueueOptions;
  readonly #bodies: string[] = [];
  #running: Promise<void> | undefined;
  #hurries = false;
  #stop: AbortController | undefined;
  #wake: (() => void) | undefined;
  #disposed = false;

  constructor(options: WebhookQueueOptions) {
    this.#options = options;
  }

  get pending(): number {
    return this.#bodies.length;
  }

  push(body: string): void {
    if (this.#disposed) return;
    // The one under way stays: it may have arrived.
    if (this.#bodies.length >= MOST_PENDING) {
      this.#bodies.splice(1, 1);
      this.#lost(1, `more than ${MOST_PENDING} are pending`);
    }
    this.#bodies.push(body);
    this.#run();
  }

  async flush(signal: AbortSignal): Promise<void> {
    this.#hurries = true;
    this.#wake?.();
    const late = (): void => this.#stop?.abort(new Error('the process ends'));
    const timer = this.#options.clock.setTimeout(late, LONGEST_FLUSH_MS);
    await untilAborted(this.#running ?? Promise.resolve(), signal).catch(() => {});
    timer.clear();
    late();
    this.#drop('the process ends');
  }

  dispose(): void {
    this.#disposed = true;
    this.#bodies.length = 0;
    this.#stop?.abort();
    this.#wake?.();
  }

  #run(): void {
    this.#running ??= this.#deliver().finally(() => {
      this.#running = undefined;
      if (this.#bodies.length > 0) this.#run();
    });
  }

  async #deliver(): Promise<void> {
    let attempts = 0;
    while (this.#bodies.length > 0) {
      const [body = ''] = this.#bodies;
      const attempt = await this.#attempt(body);
      attempts += 1;
      if (this.#disposed || this.#bodies.length === 0) return;
      if (attempt.kind === 'failed' && !this.#hurries && attempts < this.#options.attempts) {
        if (attempts === 1) this.#log('warn', 'notification_failed', attempt.why);
        await this.#pause(attempts, attempt.afterMs ?? 0);
        continue;
      }
      this.#bodies.shift();
      attempts = 0;
      if (attempt.kind === 'sent') continue;
      this.#lost(1, attempt.why);
      if (this.#hurries) this.#drop(attempt.why);
    }
  }

  async #attempt(body: string): Promise<Attempt> {
    const { clock, timeoutMs, target, headers, fetch } = this.#options;
    const stop = new AbortController();
    this.#stop = stop;
    const timer = clock.setTimeout(
      () => stop.abort(new Error(`no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    try {
      const request = { target, method: 'POST', headers, body, fetch };
      const response = await httpRequest(request, stop.signal);
      discardBody(response);
      return judge(response);
    } catch (error) {
      return { kind: 'failed', why: errorText(error) };
    } finally {
      timer.clear();
      this.#stop = undefined;
    }
  }

  /** Doubles from one second to a minute; spread, so that the instances of a service do not come back at once. */
  #pause(attempts: number, askedMs: number): Promise<void> {
    const { clock, random } = this.#options;
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
    const pauseMs = Math.max(longest * (0.5 + random() / 2), askedMs);
    return new Promise((resolve) => {
      const timer = clock.setTimeout(() => this.#wake?.(), pauseMs);
      this.#wake = () => {
        timer.clear();
        this.#wake = undefined;
        resolve();
      };
    });
  }

  #drop(why: string): void {
    const { length } = this.#bodies;
    this.#bodies.length = 0;
    if (length > 0) this.#lost(length, why);
  }

  #lost(count: number, why: string): void {
    this.#log('error', 'notification_lost', why, { count });
  }

  /** Without the path of the webhook, which is its secret. */
  #log(level: 'warn' | 'error', event: string, why: string, more: object = {}): void {
    const { logger, target } = this.#options;
    const { origin } = new URL(target.url);
    const what = event === 'notification_lost' ? 'is lost' : 'could not be sent yet';
    const output = why.replaceAll(target.url, origin);
    logger[level]({ event, to: origin, output, ...more }, `a notification ${what}: ${output}`);
  }
}

function judge({ ok, status, headers }: Response): Attempt {
  if (ok) return { kind: 'sent' };
  const why = `answered ${status}`;
  if (status !== 408 && status !== 429 && status < 500) return { kind: 'refused', why };
  const afterMs = Number(headers.get('retry-after') ?? NaN) * 1000;
  return afterMs > 0 && afterMs <= LONGEST_ASKED_PAUSE_MS
    ? { kind: 'failed', why, afterMs }
    : { kind: 'failed', why };
}
