import type { Clock, Random, Timer } from '../core/clock.js';
import { contain } from '../core/contain.js';
import type { Logger } from '../core/logger.js';
import { errorText } from '../core/error-text.js';
import type { Reason } from '../core/reason.js';
import type { WorkerAdapter } from '../core/worker.js';
import type { QueueProgress } from './queue-progress.js';

export interface WorkerControlOptions {
  readonly name: string;
  readonly adapter: WorkerAdapter;
  readonly queue: QueueProgress | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly redact: (text: string) => string;
  readonly resumeJitterMs: number;
}

/** One worker's switch. */
export interface WorkerControl {
  readonly consuming: boolean;
  /** Pauses at once when something forbids jobs; resumes after the jitter (or the given delay) when nothing does. */
  allow(blockedBy: Reason | undefined, delayMs?: number): void;
  /** Pauses for good. */
  end(): void;
  /** Pauses for good, without a word. */
  dispose(): void;
}

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/** Creates the switch of a worker that takes no jobs yet. */
export function createWorkerControl(options: WorkerControlOptions): WorkerControl {
  return new Control(options);
}

class Control implements WorkerControl {
  readonly #options: WorkerControlOptions;
  /** Planned or done; `consuming` tells which. */
  #wanted = false;
  #consuming = false;
  #ended = false;
  #timer: Timer | undefined;
  #retryMs = FIRST_RETRY_MS;
  #pausedAt: number;
  #begun = false;

  constructor(options: WorkerControlOptions) {
    this.#options = options;
    const { adapter, clock, logger, queue } = options;
    this.#pausedAt = clock.now();
    adapter.start?.({
      clock,
      logger,
      jobEnded: () => queue?.jobEnded(),
      lost: (error) => this.#onLost(error),
    });
    this.#call('pause');
    queue?.pause();
  }

  get consuming(): boolean {
    return this.#consuming;
  }

  allow(blockedBy: Reason | undefined, delayMs?: number): void {
    if (this.#ended) return;
    if (blockedBy !== undefined) this.#pause(blockedBy);
    else if (!this.#wanted) {
      this.#wanted = true;
      const { random, resumeJitterMs } = this.#options;
      // Before the first job there is no herd to spread: start-up spreads replicas already.
      this.#plan(delayMs ?? (this.#begun ? random() * resumeJitterMs : 0));
    }
  }

  end(): void {
    if (this.#ended) return;
    this.#pause('draining');
    this.#ended = true;
  }

  dispose(): void {
    this.#ended = true;
    this.#wanted = false;
    this.#timer?.clear();
    if (this.#consuming) this.#call('pause');
    this.#consuming = false;
  }

  #pause(reason: Reason): void {
    this.#wanted = false;
    this.#timer?.clear();
    if (!this.#consuming) return;
    this.#consuming = false;
    this.#call('pause');
    this.#pausedAt = this.#options.clock.now();
    const { name, adapter, logger, queue } = this.#options;
    queue?.pause();
    // After the pause, and contained: an adapter that cannot name its jobs must not keep the next worker from pausing.
    contain(
      () =>
        logger.info(
          { event: 'worker_paused', worker: name, reason, active: adapter.active().length },
          `worker "${name}" takes no jobs: ${reason}`,
        ),
      (error) => this.#onPauseFailed(error),
    );
  }

  #plan(delayMs: number): void {
    this.#timer?.clear();
    if (delayMs === 0) this.#resume();
    else this.#timer = this.#options.clock.setTimeout(() => this.#resume(), delayMs);
  }

  #resume(): void {
    const { name, clock, logger, queue } = this.#options;
    this.#begun = true;
    this.#consuming = true;
    queue?.unpause();
    this.#call('resume', () => (this.#retryMs = FIRST_RETRY_MS));
    const lastedMs = Math.round(clock.now() - this.#pausedAt);
    logger.info({ event: 'worker_resumed', worker: name, lastedMs }, `worker "${name}" takes jobs`);
  }

  #onLost(error: unknown): void {
    if (!this.#consuming) return;
    this.#consuming = false;
    this.#pausedAt = this.#options.clock.now();
    const { name, logger, redact, random } = this.#options;
    const delayMs = Math.round(this.#retryMs * (0.5 + random() / 2));
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2);
    const fields = { event: 'worker_lost', worker: name, output: redact(errorText(error)) };
    logger.warn(
      { ...fields, retryAfterMs: delayMs },
      `worker "${name}" has lost its consumer; it tries again in ${delayMs} ms`,
    );
    // Still watched against the backlog: a consumer that never comes back is a stalled one.
    if (this.#wanted) this.#plan(delayMs);
  }

  /** Called in this turn, so that no job starts after a pause; what it does later is watched for errors only. */
  #call(what: 'pause' | 'resume', onDone?: () => void): void {
    const { adapter } = this.#options;
    const failed = (error: unknown): void => {
      if (what === 'resume') this.#onLost(error);
      else this.#onPauseFailed(error);
    };
    try {
      Promise.resolve(adapter[what]()).then(onDone, failed);
    } catch (error) {
      failed(error);
    }
  }

  #onPauseFailed(error: unknown): void {
    const { name, logger, redact } = this.#options;
    const fields = { event: 'worker_pause_failed', worker: name, output: redact(errorText(error)) };
    logger.error(fields, `worker "${name}" could not be paused`);
  }
}
