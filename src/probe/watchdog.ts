import type { Board } from '../core/board.js';
import type { ProgressView } from '../core/probe-state.js';
import { type Pace, type StallWatch, look, startWatch, stepMs } from '../core/stall-watch.js';

/**
 * How often the watcher looks when no probe makes it look: often enough to time a stall to a tenth, and no oftener,
 * because waking up is what an idle thread costs.
 */
export function tickMs(stallAfterMs: number): number {
  return Math.min(500, Math.max(100, stallAfterMs / 10));
}

/** A beat may bring a message: the thread is awake then, and a look soon after it does not wake it again. */
const AFTER_BEAT_MS = 1;

/**
 * How long to wait for the next look: at the same pace as `tickMs`, but just after a beat, where the loop beats at that
 * pace too.
 */
export function nextLookMs(everyMs: number, sinceBeatMs: number): number {
  return everyMs - (Math.max(0, sinceBeatMs) % everyMs) + AFTER_BEAT_MS;
}

/**
 * A gap between two looks longer than this was a pause of the whole process: several looks are missing from it, so the
 * watcher did not run either (L9).
 */
export function longestStepMs(stallAfterMs: number): number {
  return Math.max(500, 2.5 * tickMs(stallAfterMs));
}

export interface WatchdogOptions {
  readonly board: Board;
  readonly stallAfterMs: number;
  /** Time between the main loop's beats: the loop may have turned until the next one was due. */
  readonly beatMs: number;
  /** False when the watcher runs on the loop itself and could not see it stand still. */
  readonly watchesLoop: boolean;
  readonly now: number;
}

/** Judges the beats on the board, discounting the time in which the watcher itself did not run. */
export interface Watchdog {
  /** Looks at every beat; returns whether a judgement changed. */
  look(now: number): boolean;
  /** Replaces the parts of the program to watch; a part that stays keeps what was seen of it. */
  watch(parts: readonly ProgressView[], now: number): void;
  loopStalled(): boolean;
  /** How long the main loop has stood still; after a stall, how long it stood in all. */
  stoodStillMs(): number;
  stalledProgress(): readonly string[];
  pausedMs(): number;
}

interface WatchedPart {
  readonly view: ProgressView;
  readonly pace: Pace;
  watch: StallWatch;
}

/** A part may have a shorter bound than the loop: a pause must not fill it at once. */
function paceOf(
  { stallAfterMs }: ProgressView,
  { tickMs: tick, longestStepMs: longest }: Pace,
): Pace {
  return {
    tickMs: Math.min(tick, stallAfterMs / 10),
    longestStepMs: Math.min(longest, Math.max(1.5 * tick, stallAfterMs / 2)),
  };
}

/** Starts watching; the main loop is judged from now on, also before its first beat. */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  return new BoardWatchdog(options);
}

class BoardWatchdog implements Watchdog {
  readonly #board: Board;
  readonly #loopStallAfterMs: number;
  readonly #pace: Pace;
  #loop: StallWatch;
  #stalled = false;
  #stoodStillMs = 0;
  #parts: readonly WatchedPart[] = [];
  #stalledParts: readonly string[] = [];
  #lookedAt: number;
  #pausedMs = 0;

  constructor({ board, stallAfterMs, beatMs, watchesLoop, now }: WatchdogOptions) {
    this.#board = board;
    this.#loopStallAfterMs = watchesLoop ? stallAfterMs + beatMs : Infinity;
    this.#pace = { tickMs: tickMs(stallAfterMs), longestStepMs: longestStepMs(stallAfterMs) };
    this.#loop = startWatch(board.loopBeatAt(), now);
    this.#lookedAt = now;
  }

  look(now: number): boolean {
    const gapMs = now - this.#lookedAt;
    this.#pausedMs += Math.max(0, gapMs - stepMs(gapMs, this.#pace));
    this.#lookedAt = now;
    const loopChanged = this.#lookAtLoop(now);
    return this.#lookAtParts(now) || loopChanged;
  }

  watch(views: readonly ProgressView[], now: number): void {
    this.#parts = views.map((view) => {
      const known = this.#parts.find(
        (part) => part.view.slot === view.slot && part.view.name === view.name,
      );
      const watch = known?.watch ?? startWatch(this.#board.progressAt(view.slot), now);
      return { view, pace: paceOf(view, this.#pace), watch };
    });
  }

  loopStalled(): boolean {
    return this.#stalled;
  }

  stoodStillMs(): number {
    return this.#stoodStillMs;
  }

  stalledProgress(): readonly string[] {
    return this.#stalledParts;
  }

  pausedMs(): number {
    return this.#pausedMs;
  }

  #lookAtLoop(now: number): boolean {
    const before = this.#loop;
    this.#loop = look(before, this.#board.loopBeatAt(), now, this.#pace);
    // The beat came somewhere within the step that ends now; counting that step whole errs by one look at most.
    this.#stoodStillMs = before.stoodStillMs + stepMs(now - before.seenAt, this.#pace);
    const stalled = this.#loop.stoodStillMs >= this.#loopStallAfterMs;
    const changed = stalled !== this.#stalled;
    this.#stalled = stalled;
    return changed;
  }

  #lookAtParts(now: number): boolean {
    // The usual case; it costs a probe nothing.
    if (this.#parts.length === 0 && this.#stalledParts.length === 0) return false;
    const names: string[] = [];
    for (const part of this.#parts) {
      const { slot, name, stallAfterMs } = part.view;
      part.watch = look(part.watch, this.#board.progressAt(slot), now, part.pace);
      if (part.watch.stoodStillMs >= stallAfterMs) names.push(name);
    }
    const changed = names.join('\n') !== this.#stalledParts.join('\n');
    this.#stalledParts = names;
    return changed;
  }
}
