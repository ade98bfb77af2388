import type { Clock, Timer } from '../core/clock.js';

/** Work in small steps; what the last one returns is its result. A generator is one. */
export interface Steps<T> {
  next(): IteratorResult<unknown, T>;
}

/** What becomes of the work. */
export interface Outcome<T> {
  /** Called in the turn of the last step; `spentMs` is the time of all steps, without what came in between. */
  done(result: T, spentMs: number): void;
  failed(error: unknown): void;
}

/** Long work on a thread that has probes to answer: a few milliseconds of it in each turn of the loop. */
export interface Pace {
  /** Works the steps off, behind those that were given before; begins at once when this turn has time left. */
  run<T>(steps: Steps<T>, outcome: Outcome<T>): void;
  /** The same as a promise, which rejects with what a step throws. */
  finish<T>(steps: Steps<T>): Promise<T>;
}

/** A probe waits for this and the last step. */
const TURN_MS = 3;
/** Then the thread rests for as long as it has worked, and on a busy machine no longer than this. */
const REST_MS = 6;

/** Creates it idle: without work there is no timer. */
export function createPace(clock: Pick<Clock, 'now' | 'setTimeout'>): Pace {
  return new TurnPace(clock);
}

/** Takes all steps now, where nobody waits for the thread. */
export function atOnce<T>(steps: Steps<T>): T {
  let result = steps.next();
  while (result.done !== true) result = steps.next();
  return result.value;
}

/** Work of a single step. */
export function oneStep<T>(action: () => T): Steps<T> {
  return { next: () => ({ done: true, value: action() }) };
}

interface Job {
  readonly steps: Steps<unknown>;
  readonly outcome: Outcome<unknown>;
  spentMs: number;
}

class TurnPace implements Pace {
  readonly #clock: Pick<Clock, 'now' | 'setTimeout'>;
  readonly #jobs: Job[] = [];
  /** In this turn of the loop. */
  #spentMs = 0;
  #working = false;
  /** Runs in the next turn of the loop. */
  #next: Timer | undefined;

  constructor(clock: Pick<Clock, 'now' | 'setTimeout'>) {
    this.#clock = clock;
  }

  run<T>(steps: Steps<T>, outcome: Outcome<T>): void {
    this.#jobs.push({ steps, outcome: outcome as Outcome<unknown>, spentMs: 0 });
    if (!this.#working) this.#work();
  }

  finish<T>(steps: Steps<T>): Promise<T> {
    return new Promise((resolve, reject) => this.run(steps, { done: resolve, failed: reject }));
  }

  #work(): void {
    this.#working = true;
    try {
      for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
        if (this.#spentMs >= TURN_MS) break;
        this.#step(job);
      }
    } finally {
      this.#working = false;
      const isOver = this.#spentMs === 0 && this.#jobs.length === 0;
      if (!isOver && this.#next === undefined) {
        const restMs = Math.min(REST_MS, this.#spentMs);
        this.#next = this.#clock.setTimeout(() => this.#turn(), restMs);
      }
    }
  }

  #turn(): void {
    this.#next = undefined;
    this.#spentMs = 0;
    this.#work();
  }

  #step(job: Job): void {
    const { steps, outcome } = job;
    const startedAt = this.#clock.now();
    const settle = this.#attempt(steps, outcome);
    const tookMs = this.#clock.now() - startedAt;
    job.spentMs += tookMs;
    this.#spentMs += tookMs;
    if (settle === undefined) return;
    this.#jobs.shift();
    settle(job.spentMs);
  }

  /** Takes one step; returns what is to be told when it was the last. */
  #attempt(
    steps: Steps<unknown>,
    outcome: Outcome<unknown>,
  ): ((spentMs: number) => void) | undefined {
    try {
      const { done, value } = steps.next();
      return done === true ? (spentMs) => outcome.done(value, spentMs) : undefined;
    } catch (error) {
      return () => outcome.failed(error);
    }
  }
}
