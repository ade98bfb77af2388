import type { Status } from './check.js';
import type { HistoryStep, RecentRun } from './diagnosis.js';
import { isoTime } from './iso-time.js';

/** Runs that are kept one by one. */
export const RECENT_RUNS = 60;
/** One step of the history. */
export const HISTORY_STEP_MS = 300_000;
/** A day of steps. */
export const HISTORY_STEPS = 288;

const STATUSES: readonly Status[] = ['pass', 'warn', 'fail'];

/**
 * The runs of one check in memory of a fixed size: the last ones, and a day summed up in steps of five minutes of the
 * wall clock. A run costs no allocation. 8.8 KB.
 */
export interface RunHistory {
  record(wallAt: number, durationMs: number, status: Status): void;
  /** Oldest first. */
  recent(): readonly RecentRun[];
  /**
   * The last `count` steps until `wallNow`, oldest first; those without a run are left out.
   * @defaultValue count: a day
   */
  steps(wallNow: number, count?: number): readonly HistoryStep[];
  readonly bytes: number;
}

/** Creates an empty history. */
export function createRunHistory(): RunHistory {
  return new TypedRunHistory();
}

class TypedRunHistory implements RunHistory {
  readonly #buffer: ArrayBuffer;
  readonly #recentAt: Float64Array;
  readonly #sumMs: Float64Array;
  readonly #recentMs: Float32Array;
  readonly #maxMs: Float32Array;
  /** Which step of all time a place holds; 0 for none. */
  readonly #stepAt: Int32Array;
  readonly #runs: Uint32Array;
  readonly #failed: Uint32Array;
  readonly #warned: Uint32Array;
  readonly #recentStatus: Uint8Array;
  #recorded = 0;

  constructor() {
    const recent = RECENT_RUNS;
    const steps = HISTORY_STEPS;
    this.#buffer = new ArrayBuffer(8 * (recent + steps) + 4 * (recent + 5 * steps) + recent);
    let free = 0;
    const take = (bytes: number): number => {
      free += bytes;
      return free - bytes;
    };
    this.#recentAt = new Float64Array(this.#buffer, take(8 * recent), recent);
    this.#sumMs = new Float64Array(this.#buffer, take(8 * steps), steps);
    this.#recentMs = new Float32Array(this.#buffer, take(4 * recent), recent);
    this.#maxMs = new Float32Array(this.#buffer, take(4 * steps), steps);
    this.#stepAt = new Int32Array(this.#buffer, take(4 * steps), steps);
    this.#runs = new Uint32Array(this.#buffer, take(4 * steps), steps);
    this.#failed = new Uint32Array(this.#buffer, take(4 * steps), steps);
    this.#warned = new Uint32Array(this.#buffer, take(4 * steps), steps);
    this.#recentStatus = new Uint8Array(this.#buffer, take(recent), recent);
  }

  get bytes(): number {
    return this.#buffer.byteLength;
  }

  record(wallAt: number, durationMs: number, status: Status): void {
    const place = this.#recorded % RECENT_RUNS;
    this.#recorded += 1;
    this.#recentAt[place] = wallAt;
    this.#recentMs[place] = durationMs;
    this.#recentStatus[place] = STATUSES.indexOf(status);
    const step = Math.floor(wallAt / HISTORY_STEP_MS);
    const slot = step % HISTORY_STEPS;
    if (this.#stepAt[slot] !== step) this.#begin(slot, step);
    add(this.#runs, slot, 1);
    add(this.#sumMs, slot, durationMs);
    if (status === 'fail') add(this.#failed, slot, 1);
    if (status === 'warn') add(this.#warned, slot, 1);
    this.#maxMs[slot] = Math.max(at(this.#maxMs, slot), durationMs);
  }

  recent(): readonly RecentRun[] {
    const count = Math.min(this.#recorded, RECENT_RUNS);
    const first = this.#recorded - count;
    return Array.from({ length: count }, (_, index) => {
      const place = (first + index) % RECENT_RUNS;
      return {
        at: isoTime(at(this.#recentAt, place)),
        durationMs: thousandths(at(this.#recentMs, place)),
        status: STATUSES[at(this.#recentStatus, place)] ?? 'fail',
      };
    });
  }

  steps(wallNow: number, count = HISTORY_STEPS): readonly HistoryStep[] {
    const last = Math.floor(wallNow / HISTORY_STEP_MS);
    const steps: HistoryStep[] = [];
    for (let step = last - Math.min(count, HISTORY_STEPS) + 1; step <= last; step += 1) {
      const slot = step % HISTORY_STEPS;
      if (step > 0 && this.#stepAt[slot] === step) steps.push(this.#stepOf(slot, step));
    }
    return steps;
  }

  #begin(slot: number, step: number): void {
    this.#stepAt[slot] = step;
    for (const column of [this.#runs, this.#failed, this.#warned, this.#sumMs, this.#maxMs])
      column[slot] = 0;
  }

  #stepOf(slot: number, step: number): HistoryStep {
    const runs = at(this.#runs, slot);
    return {
      at: isoTime(step * HISTORY_STEP_MS),
      stepMs: HISTORY_STEP_MS,
      runs,
      failed: at(this.#failed, slot),
      warned: at(this.#warned, slot),
      meanMs: thousandths(at(this.#sumMs, slot) / runs),
      maxMs: thousandths(at(this.#maxMs, slot)),
    };
  }
}

type Column = Float64Array | Float32Array | Uint32Array | Uint8Array;

function at(column: Column, index: number): number {
  return column[index] ?? 0;
}

function add(column: Column, index: number, amount: number): void {
  column[index] = at(column, index) + amount;
}

function thousandths(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
