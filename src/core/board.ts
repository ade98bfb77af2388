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

/**
 * The memory both threads share: fixed layout, lock-free, written by the main thread (only `pausedMs` is the
 * probe thread's), read at each probe. It holds what must be seen even while the main loop is blocked or a
 * message is still on its way.
 */
export interface Board {
  readonly buffer: SharedArrayBuffer;
  phase(): Phase;
  setPhase(phase: Phase): void;
  inFlight(): number;
  setInFlight(count: number): void;
  /** Monotonic time of the main loop's last beat; 0 before the first. */
  loopBeatAt(): number;
  beatLoop(now: number): void;
  /** Monotonic time at which the engine last evaluated its checks; 0 before the first. */
  evaluatedAt(): number;
  setEvaluatedAt(now: number): void;
  /** Time the whole process did not run, as the probe thread has measured it so far. */
  pausedMs(): number;
  setPausedMs(total: number): void;
  /** Monotonic time of a progress slot's last beat. */
  progressAt(slot: number): number;
  beatProgress(slot: number, now: number): void;
}

/** Lays a board over a buffer made by another board, or over a new one. */
export function createBoard(
  buffer: SharedArrayBuffer = new SharedArrayBuffer(WORDS * 4 + TIMES * 8),
): Board {
  const words = new Int32Array(buffer, 0, WORDS);
  // Microseconds in 64 bits: atomics exist for integers only, and 32 bits of milliseconds wrap in 25 days.
  const times = new BigInt64Array(buffer, WORDS * 4, TIMES);
  const read = (index: number) => Number(Atomics.load(times, index)) / 1000;
  const write = (index: number, ms: number) => {
    Atomics.store(times, index, BigInt(Math.round(ms * 1000)));
  };
  return {
    buffer,
    phase: () => phaseAt(Atomics.load(words, PHASE)),
    setPhase: (phase) => void Atomics.store(words, PHASE, phaseIndex(phase)),
    inFlight: () => Atomics.load(words, IN_FLIGHT),
    setInFlight: (count) => void Atomics.store(words, IN_FLIGHT, count),
    loopBeatAt: () => read(LOOP_BEAT),
    beatLoop: (now) => write(LOOP_BEAT, now),
    evaluatedAt: () => read(EVALUATED_AT),
    setEvaluatedAt: (now) => write(EVALUATED_AT, now),
    pausedMs: () => read(PAUSED),
    setPausedMs: (total) => write(PAUSED, total),
    progressAt: (slot) => read(PROGRESS + slot),
    beatProgress: (slot, now) => write(PROGRESS + slot, now),
  };
}
