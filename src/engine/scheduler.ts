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
  /** Time between calls of `beat()`, milliseconds. @defaultValue 0, nobody calls it and every job runs when it is due */
  readonly beatMs?: number;
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
  /** The loop is awake anyway: runs what is due about now. */
  beat(): void;
  /** Starts no further run; idempotent. */
  dispose(): void;
}

interface Entry {
  readonly job: Job;
  /** Infinity while running or broken. */
  dueAt: number;
  /** How much sooner or later it may run, to share a beat with others. */
  slackMs: number;
}

/** Of a pause: far less than its jitter, so that it changes nothing about when checks run. */
const SLACK_SHARE = 0.1;

/** Of a beat; more than half, so that there is a beat in the time from the soonest to the latest. */
const SLACK_BEATS = 0.6;

/** Creates a scheduler; nothing runs before `start()`. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const loop = new Loop(options);
  return {
    add: (job, firstDelayMs) => loop.add(job, firstDelayMs),
    start: () => loop.start(),
    beat: () => loop.beat(),
    dispose: () => loop.dispose(),
  };
}

class Loop {
  readonly #options: SchedulerOptions;
  readonly #entries = new Set<Entry>();
  #state: 'idle' | 'turning' | 'disposed' = 'idle';
  #timer: Timer | undefined;
  #wakeAt = Infinity;
  #turnedAt = -Infinity;
  readonly #slackMs: number;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#slackMs = SLACK_BEATS * (options.beatMs ?? 0);
  }

  add(job: Job, firstDelayMs: number): () => void {
    const entry: Entry = { job, dueAt: this.#options.clock.now() + firstDelayMs, slackMs: 0 };
    this.#entries.add(entry);
    this.#wakeBy(latest(entry));
    return () => void this.#entries.delete(entry);
  }

  start(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'turning';
    this.#turn();
  }

  beat(): void {
    if (this.#state !== 'turning') return;
    const now = this.#options.clock.now();
    const isDue = now - this.#turnedAt >= DEFAULTS.evaluateMs - this.#slackMs;
    if (isDue || [...this.#entries].some((entry) => soonest(entry) <= now)) this.#turn();
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
      this.#turnedAt = now;
      onTurn(now);
      for (const entry of this.#entries) {
        if (soonest(entry) <= now) void this.#run(entry);
      }
      // Each turn proves that the loop is alive. Where it beats, beats see to that, and a timer would be in vain.
      let next = this.#slackMs > 0 ? Infinity : now + DEFAULTS.evaluateMs;
      for (const entry of this.#entries) next = Math.min(next, latest(entry));
      this.#wakeAt = Infinity;
      if (next === Infinity) this.#timer?.clear();
      else this.#wakeBy(next);
    } catch (error) {
      onError(error);
    }
  };

  async #run(entry: Entry): Promise<void> {
    entry.dueAt = Infinity;
    try {
      await entry.job.run();
      const delayMs = delayOf(entry.job);
      entry.dueAt = this.#options.clock.now() + delayMs;
      entry.slackMs = Math.min(this.#slackMs, delayMs * SLACK_SHARE);
      if (this.#entries.has(entry)) this.#wakeBy(latest(entry));
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

function soonest({ dueAt, slackMs }: Entry): number {
  return dueAt - slackMs;
}

function latest({ dueAt, slackMs }: Entry): number {
  return dueAt + slackMs;
}

function delayOf(job: Job): number {
  const delayMs = job.nextDelayMs();
  if (Number.isFinite(delayMs) && delayMs >= 0) return delayMs;
  throw new RangeError(`the delay of check "${job.name}" is ${delayMs} ms`);
}
