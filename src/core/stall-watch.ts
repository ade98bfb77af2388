/** What a watcher remembers of one beat. */
export interface StallWatch {
  /** The beat's value when last looked at. */
  readonly beat: number;
  /** When the watcher last looked. */
  readonly seenAt: number;
  /** How long the beat has stood still while the watcher itself was running. */
  readonly stoodStillMs: number;
}

/** Starts watching a beat that is taken as fresh now. */
export function startWatch(beat: number, now: number): StallWatch {
  return { beat, seenAt: now, stoodStillMs: 0 };
}

/** How regularly the watcher looks. */
export interface Pace {
  /** Time between two looks. */
  readonly tickMs: number;
  /** A longer gap between two looks was a pause of the whole process. */
  readonly longestStepMs: number;
}

/**
 * Looks at the beat again. After a gap longer than `longestStepMs` the watcher did not run either, so the whole
 * process was paused (SIGSTOP, VM suspend, CPU quota) and the beat could not have come (L9): it counts as one tick.
 */
export function look(watch: StallWatch, beat: number, now: number, pace: Pace): StallWatch {
  if (beat !== watch.beat) return startWatch(beat, now);
  return { beat, seenAt: now, stoodStillMs: watch.stoodStillMs + stepMs(now - watch.seenAt, pace) };
}

/** What a gap between two looks counts for. */
export function stepMs(gapMs: number, { tickMs, longestStepMs }: Pace): number {
  return gapMs > longestStepMs ? tickMs : Math.max(0, gapMs);
}
