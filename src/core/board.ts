import { DEADLINE_CELL_BYTES, type DeadlineCell, createDeadlineCell } from './deadline-cell.js';
import { type HistogramView, bucketOf } from './histogram.js';
import { METRICS } from './metric-definitions.js';
import { type Phase, phaseAt, phaseIndex } from './phase.js';

/** How many parts of a program can beat at once, the main loop not counted. */
export const PROGRESS_SLOTS = 128;

const PHASE = 0;
const IN_FLIGHT = 1;
const WORDS = 16;

const LOOP_BEAT = 0;
const EVALUATED_AT = 1;
const PAUSED = 2;
const PROGRESS = 8;
const TIMES = PROGRESS + PROGRESS_SLOTS;
const TIMES_OFFSET = WORDS * Int32Array.BYTES_PER_ELEMENT;
const PROGRESS_OFFSET = TIMES_OFFSET + PROGRESS * BigInt64Array.BYTES_PER_ELEMENT;
const DELAYS_OFFSET = TIMES_OFFSET + TIMES * BigInt64Array.BYTES_PER_ELEMENT;
const DELAY_BUCKETS = METRICS.eventLoopDelay.buckets;
const DELAY_COUNTS = DELAY_BUCKETS.length + 1;
/** After the counts: the sum of all delays. */
const DELAYS = DELAY_COUNTS + 1;
const DEADLINE_OFFSET = DELAYS_OFFSET + DELAYS * BigInt64Array.BYTES_PER_ELEMENT;
const BYTES = DEADLINE_OFFSET + DEADLINE_CELL_BYTES;

/**
 * The memory both threads share: fixed layout, lock-free, written by the main thread (only `pausedMs` is the
 * probe thread's), read at each probe. It holds what must be seen even while the main loop is blocked or a
 * message is still on its way.
 */
export interface Board {
  readonly buffer: SharedArrayBuffer;
  /** When the process must be dead, for its leases (H3). */
  readonly leaseDeadline: DeadlineCell;
  phase(): Phase;
  setPhase(phase: Phase): void;
  inFlight(): number;
  setInFlight(count: number): void;
  /** Monotonic time of the main loop's last beat; 0 before the first. */
  loopBeatAt(): number;
  beatLoop(now: number): void;
  /** Counts a beat that came so late, in milliseconds. */
  recordLoopDelay(delayMs: number): void;
  /** How late the beats came, in seconds. */
  loopDelays(): HistogramView;
  /** Monotonic time at which the engine last evaluated its checks; 0 before the first. */
  evaluatedAt(): number;
  setEvaluatedAt(now: number): void;
  /** Time the whole process did not run, as the probe thread has measured it so far. */
  pausedMs(): number;
  setPausedMs(total: number): void;
  /**
   * Monotonic time of a progress slot's last beat; 0 before the first.
   * @throws RangeError outside 0 to {@link PROGRESS_SLOTS} − 1.
   */
  progressAt(slot: number): number;
  beatProgress(slot: number, now: number): void;
}

/** Lays a board over a buffer made by another board, or over a new one. */
export function createBoard(buffer: SharedArrayBuffer = new SharedArrayBuffer(BYTES)): Board {
  const words = new Int32Array(buffer, 0, WORDS);
  // Microseconds in 64 bits: atomics exist for integers only, and 32 bits of milliseconds wrap in 25 days.
  const times = new BigInt64Array(buffer, TIMES_OFFSET, PROGRESS);
  // A view of its own, so that a wrong slot throws a RangeError instead of beating for the main loop.
  const progress = new BigInt64Array(buffer, PROGRESS_OFFSET, PROGRESS_SLOTS);
  const delays = new BigInt64Array(buffer, DELAYS_OFFSET, DELAYS);
  return {
    buffer,
    leaseDeadline: createDeadlineCell(buffer, DEADLINE_OFFSET),
    phase: () => phaseAt(Atomics.load(words, PHASE)),
    setPhase: (phase) => void Atomics.store(words, PHASE, phaseIndex(phase)),
    inFlight: () => Atomics.load(words, IN_FLIGHT),
    setInFlight: (count) => void Atomics.store(words, IN_FLIGHT, count),
    loopBeatAt: () => readMs(times, LOOP_BEAT),
    beatLoop: (now) => writeMs(times, LOOP_BEAT, now),
    recordLoopDelay: (delayMs) => addDelay(delays, delayMs),
    loopDelays: () => ({
      counts: Array.from(delays.subarray(0, DELAY_COUNTS), Number),
      sum: readMs(delays, DELAY_COUNTS) / 1000,
    }),
    evaluatedAt: () => readMs(times, EVALUATED_AT),
    setEvaluatedAt: (now) => writeMs(times, EVALUATED_AT, now),
    pausedMs: () => readMs(times, PAUSED),
    setPausedMs: (total) => writeMs(times, PAUSED, total),
    progressAt: (slot) => readMs(progress, slot),
    beatProgress: (slot, now) => writeMs(progress, slot, now),
  };
}

function addDelay(delays: BigInt64Array, delayMs: number): void {
  Atomics.add(delays, bucketOf(DELAY_BUCKETS, delayMs / 1000), 1n);
  Atomics.add(delays, DELAY_COUNTS, BigInt(Math.round(delayMs * 1000)));
}

function readMs(times: BigInt64Array, index: number): number {
  return Number(Atomics.load(times, index)) / 1000;
}

function writeMs(times: BigInt64Array, index: number, ms: number): void {
  Atomics.store(times, index, BigInt(Math.round(ms * 1000)));
}
