import type { Clock, Timer } from '../core/clock.js';
import type { Logger } from '../core/logger.js';
import { errorText } from '../core/error-text.js';
import { durationOption, functionOption, nameOption, objectOption } from '../core/validate.js';
import type { ReadBacklog } from '../core/worker.js';
import { settlesWithin } from './bounded.js';
import type { Progress, ProgressRegistry } from './progress.js';

/** Options of `health.queueProgress`. */
export interface QueueProgressOptions {
  /** Jobs that wait; may ask the broker, because no probe ever does. */
  backlog: ReadBacklog;
  /** Liveness fails once the backlog has not been empty and no job has ended for this long. */
  stallAfterMs: number;
  /** Time between two reads. @defaultValue a quarter of stallAfterMs, 30000 at most */
  everyMs?: number;
  /** A read that takes longer counts as unknown. @defaultValue 2000 */
  timeoutMs?: number;
}

/** The last job against the backlog. */
export interface QueueProgress {
  /** To be called at the end of each job. */
  jobEnded(): void;
  /** Not judged until `unpause()`: the consumer has been told not to take jobs. */
  pause(): void;
  unpause(): void;
  /** Ends the watch; idempotent. */
  done(): void;
}

export interface QueueProgressParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redact: (text: string) => string;
  readonly progress: ProgressRegistry;
}

const TIMEOUT_MS = 2000;
const LONGEST_EVERY_MS = 30_000;
const READS_PER_STALL = 4;

/** Every watched queue. */
export interface QueueWatches {
  /**
   * Watches a queue from now on.
   * @throws OptionError on a value outside its range.
   * @throws HaleError `HALE_TOO_MANY`.
   */
  add(name: string, options: QueueProgressOptions): QueueProgress;
  dispose(): void;
}

/** Creates an empty set of watches. */
export function createQueueWatches(parts: QueueProgressParts): QueueWatches {
  const watches = new Set<QueueProgress>();
  return {
    add(name, options) {
      const watch = new QueueWatch(parts, name, options, () => watches.delete(watch));
      watches.add(watch);
      return watch;
    },
    dispose() {
      for (const watch of [...watches]) watch.done();
    },
  };
}

/**
 * Watches a consumer by its jobs: silent with a full queue is stalled, silent with an empty one is idle (case 32).
 * The backlog is read in the background with a hard timeout; as long as it cannot be read it is unknown, and liveness
 * holds: a broker that is away must not restart the process (L2).
 */
class QueueWatch implements QueueProgress {
  readonly #parts: QueueProgressParts;
  readonly #name: string;
  readonly #onDone: () => void;
  readonly #read: ReadBacklog;
  readonly #everyMs: number;
  readonly #timeoutMs: number;
  readonly #progress: Progress;
  readonly #ended = new AbortController();
  #timer: Timer | undefined;
  #armed = false;
  #paused = false;
  #unknown = false;

  constructor(
    parts: QueueProgressParts,
    name: string,
    options: QueueProgressOptions,
    onDone: () => void,
  ) {
    const path = `queueProgress.${nameOption('queueProgress (a name)', name)}`;
    const { timeoutMs = TIMEOUT_MS } = objectOption(path, options);
    const stallAfterMs = durationOption(`${path}.stallAfterMs`, options.stallAfterMs, 100);
    const everyMs = options.everyMs ?? Math.min(LONGEST_EVERY_MS, stallAfterMs / READS_PER_STALL);
    this.#parts = parts;
    this.#name = name;
    this.#onDone = onDone;
    this.#read = functionOption(`${path}.backlog`, options.backlog);
    this.#timeoutMs = durationOption(`${path}.timeoutMs`, timeoutMs, 10);
    this.#everyMs = durationOption(`${path}.everyMs`, everyMs, 10);
    // Last: what is watched from here on must not be left behind by a bad option.
    this.#progress = parts.progress.add(name, { stallAfterMs });
    this.#progress.rest();
    this.#plan(0);
  }

  jobEnded(): void {
    // Not while at rest: a beat would begin the watch over an empty queue.
    if (this.#armed) this.#progress.beat();
  }

  pause(): void {
    this.#paused = true;
    this.#disarm();
  }

  unpause(): void {
    this.#paused = false;
  }

  done(): void {
    this.#timer?.clear();
    this.#ended.abort();
    this.#progress.done();
    this.#onDone();
  }

  #plan(delayMs: number): void {
    this.#timer = this.#parts.clock.setTimeout(() => void this.#turn(), delayMs);
  }

  /** One read, then the next is planned: reads never overlap, and an error does not end them. */
  async #turn(): Promise<void> {
    const waiting = await this.#backlog();
    if (this.#ended.signal.aborted) return;
    if (waiting !== undefined && waiting > 0 && !this.#paused) this.#arm();
    else this.#disarm();
    this.#plan(this.#everyMs);
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    this.#progress.beat();
  }

  #disarm(): void {
    if (!this.#armed) return;
    this.#armed = false;
    this.#progress.rest();
  }

  async #backlog(): Promise<number | undefined> {
    let waiting: number | undefined;
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    this.#ended.signal.addEventListener('abort', stop, { once: true });
    try {
      const inTime = await settlesWithin(this.#parts.clock, this.#timeoutMs, async () => {
        const count = await this.#read(controller.signal);
        waiting = Number.isFinite(count) ? count : undefined;
      });
      this.#note(inTime ? undefined : `no answer within ${this.#timeoutMs} ms`);
      return inTime ? waiting : undefined;
    } catch (error) {
      this.#note(this.#parts.redact(errorText(error)));
      return undefined;
    } finally {
      this.#ended.signal.removeEventListener('abort', stop);
      stop();
    }
  }

  /** Transitions only (O2). */
  #note(output: string | undefined): void {
    const unknown = output !== undefined;
    if (unknown === this.#unknown || this.#ended.signal.aborted) return;
    this.#unknown = unknown;
    const { logger } = this.#parts;
    const fields = { event: 'backlog', queue: this.#name, known: !unknown };
    if (unknown) logger.warn({ ...fields, output }, `backlog of "${this.#name}" is unknown`);
    else logger.info(fields, `backlog of "${this.#name}" can be read again`);
  }
}
