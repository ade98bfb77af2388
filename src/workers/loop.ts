import type { Clock } from '../core/clock.js';
import { createJobSet } from '../core/job-set.js';
import { errorText } from '../core/error-text.js';
import { durationOption, functionOption } from '../core/validate.js';
import type {
  WorkerAdapter,
  WorkerContext,
  WorkerHandle,
  WorkerHost,
  WorkerOptions,
} from '../core/worker.js';

/**
 * One round: takes and does one job, or a batch. Returns `'idle'` when there was none. The signal aborts when the
 * round is to be given up, shortly before the deadline.
 */
export type LoopStep = (signal: AbortSignal) => Promise<'idle' | void>;

/** Options of {@link workLoop}. */
export interface WorkLoopOptions extends WorkerOptions {
  /** Wait after a round that found no job. @defaultValue 1000 */
  idleMs?: number;
  /** Wait after a round that threw; the error is logged and the loop goes on. @defaultValue 1000 */
  retryMs?: number;
}

const WAIT_MS = 1000;
/** Rounds that never wait for anything outside would otherwise keep timers and requests from their turn. */
const SLICE_MS = 20;

/**
 * Runs a step again and again while the instance may take jobs, until the process drains. A step that throws is
 * logged and does not end the loop; a loop that stands still is found by `stallAfterMs` and `backlog`.
 * @throws OptionError on a bad name, step or option.
 */
export function workLoop(
  host: WorkerHost,
  name: string,
  step: LoopStep,
  options: WorkLoopOptions = {},
): WorkerHandle {
  const { idleMs = WAIT_MS, retryMs = WAIT_MS, ...worker } = options;
  const countsRounds = worker.stallAfterMs !== undefined && worker.backlog === undefined;
  const loop = new LoopAdapter({
    name,
    step: functionOption(`workLoop.${name} (the step)`, step),
    idleMs: durationOption(`workLoop.${name}.idleMs`, idleMs),
    retryMs: durationOption(`workLoop.${name}.retryMs`, retryMs),
    countsRounds,
  });
  // Without a backlog there is always another round to be due.
  return host.worker(name, loop, countsRounds ? { ...worker, backlog: () => 1 } : worker);
}

interface LoopSettings {
  readonly name: string;
  readonly step: LoopStep;
  readonly idleMs: number;
  readonly retryMs: number;
  /** Whether a round without a job is a sign of life: there is no backlog to tell whether it should have had one. */
  readonly countsRounds: boolean;
}

class LoopAdapter implements WorkerAdapter {
  readonly #settings: LoopSettings;
  readonly #jobs = createJobSet();
  readonly #stop = new AbortController();
  #context: WorkerContext | undefined;
  #wanted = false;
  #looping = false;
  #rounds = 0;
  /** Ends the wait between two rounds. */
  #wake: (() => void) | undefined;

  constructor(settings: LoopSettings) {
    this.#settings = settings;
  }

  start(context: WorkerContext): void {
    this.#context = context;
  }

  pause(): void {
    this.#wanted = false;
    this.#wake?.();
  }

  resume(): void {
    this.#wanted = true;
    if (this.#context !== undefined && !this.#looping) void this.#loop(this.#context);
  }

  active(): readonly string[] {
    return this.#jobs.labels();
  }

  whenIdle(): Promise<void> {
    return this.#jobs.whenIdle();
  }

  giveBack(): Promise<void> {
    this.#stop.abort(new Error('the round is given up: the process ends'));
    return this.#jobs.whenIdle();
  }

  close(): void {
    this.#stop.abort(new Error('the loop has been closed'));
    this.#wake?.();
  }

  async #loop(context: WorkerContext): Promise<void> {
    const { clock } = context;
    this.#looping = true;
    let sliceEndsAt = clock.now() + SLICE_MS;
    while (this.#wanted && !this.#stop.signal.aborted) {
      const waitMs = await this.#round(context);
      if (waitMs === 0 && clock.now() < sliceEndsAt) continue;
      await this.#wait(clock, waitMs);
      sliceEndsAt = clock.now() + SLICE_MS;
    }
    this.#looping = false;
  }

  /** One round; how long to wait before the next. */
  async #round({ logger, jobEnded }: WorkerContext): Promise<number> {
    const { name, step, idleMs, retryMs, countsRounds } = this.#settings;
    this.#rounds += 1;
    const end = this.#jobs.begin(`round ${this.#rounds}`);
    try {
      const idle = (await step(this.#stop.signal)) === 'idle';
      if (!idle || countsRounds) jobEnded();
      return idle ? idleMs : 0;
    } catch (error) {
      const fields = { event: 'work_loop_error', worker: name, output: errorText(error) };
      logger.error(fields, `a round of "${name}" failed`);
      return retryMs;
    } finally {
      end();
    }
  }

  /** Keeps the process alive: a worker with an empty queue has not ended. */
  #wait(clock: Clock, waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        timer.clear();
        this.#wake = undefined;
        resolve();
      };
      const timer = clock.setTimeout(wake, waitMs, { keepsProcessAlive: true });
      this.#wake = wake;
    });
  }
}
