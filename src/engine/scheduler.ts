import type { Clock, Timer } from '../core/clock.js';
import { DEFAULTS } from '../core/defaults.js';

/** Work that repeats, with a pause counted from the end of each run. */
export interface Job {
  readonly name: string;
  /** One run; must not start another of its own. */
  run(): Promise<void>;
  /** Asked after each run. */
  nextDelayMs(): number;
}

export interface SchedulerOptions {
  readonly clock: Clock;
  /** Called in each turn with the time: what reads it must take the loop for dead once it stops (R3). */
  onTurn(now: number): void;
  /** An error in hale's own code. The job it names no longer runs; without a name, the loop itself has ended. */
  onError(error: unknown, job?: string): void;
}

/** Runs jobs in the background from a single loop, never one over itself (C3). */
export interface Scheduler {
  /** Adds a job, first run after `firstDelayMs`; the returned function removes it. */
  add(job: Job, firstDelayMs: number): () => void;
  /** Turns at once and keeps turning until disposed. */
  start(): void;
  /** Starts no further run; idempotent. */
  dispose(): void;
}

interface Entry {
  readonly job: Job;
  /** Infinity while running or broken. */
  dueAt: number;
}

/** Creates a scheduler; nothing runs before `start()`. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const loop = new Loop(options);
  return {
    add: (job, firstDelayMs) => loop.add(job, firstDelayMs),
    start: () => loop.start(),
    dispose: () => loop.dispose(),
  };
}

class Loop {
  readonly #options: SchedulerOptions;
  readonly #entries = new Set<Entry>();
  #state: 'idle' | 'turning' | 'disposed' = 'idle';
  #timer: Timer | undefined;
  #wakeAt = Infinity;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  add(job: Job, firstDelayMs: number): () => void {
    const entry: Entry = { job, dueAt: this.#options.clock.now() + firstDelayMs };
    this.#entries.add(entry);
    this.#wakeBy(entry.dueAt);
    return () => void this.#entries.delete(entry);
  }

  start(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'turning';
    this.#turn();
  }

  dispose(): void {
    this.#state = 'disposed';
    this.#entries.clear();
    this.#timer?.clear();
  }

  readonly #turn = (): void => {
    const { clock, onTurn, onError } = this.#options;
    try {
      const now = clock.now();
      onTurn(now);
      for (const entry of this.#entries) {
        if (entry.dueAt <= now) void this.#run(entry);
      }
      // Each turn proves that the loop is alive.
      let next = now + DEFAULTS.evaluateMs;
      for (const { dueAt } of this.#entries) next = Math.min(next, dueAt);
      this.#wakeAt = Infinity;
      this.#wakeBy(next);
    } catch (error) {
      onError(error);
    }
  };

  async #run(entry: Entry): Promise<void> {
    entry.dueAt = Infinity;
    try {
      await entry.job.run();
      entry.dueAt = this.#options.clock.now() + delayOf(entry.job);
      if (this.#entries.has(entry)) this.#wakeBy(entry.dueAt);
    } catch (error) {
      // The job stays put: its result expires and says so, instead of a loop that fails for ever.
      entry.dueAt = Infinity;
      this.#options.onError(error, entry.job.name);
    }
  }

  #wakeBy(at: number): void {
    if (this.#state !== 'turning' || at >= this.#wakeAt) return;
    const { clock } = this.#options;
    // The new timer before the end of the old one: if setting it throws, the old one still turns the loop.
    const timer = clock.setTimeout(this.#turn, Math.max(0, at - clock.now()));
    this.#timer?.clear();
    this.#timer = timer;
    this.#wakeAt = at;
  }
}

function delayOf(job: Job): number {
  const delayMs = job.nextDelayMs();
  if (Number.isFinite(delayMs) && delayMs >= 0) return delayMs;
  throw new RangeError(`the delay of check "${job.name}" is ${delayMs} ms`);
}
