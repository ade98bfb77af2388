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

/**
 * Looks at the beat again. A gap between two looks longer than `longestStepMs` counts as one step: in the rest of it
 * the watcher did not run either, so the whole process was paused (SIGSTOP, VM suspend, CPU quota) and the beat
 * could not have come (L9).
 */
export function look(
  watch: StallWatch,
  beat: number,
  now: number,
  longestStepMs: number,
): StallWatch {
  if (beat !== watch.beat) return startWatch(beat, now);
  const step = Math.max(0, Math.min(now - watch.seenAt, longestStepMs));
  return { beat, seenAt: now, stoodStillMs: watch.stoodStillMs + step };
}
