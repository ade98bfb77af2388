/** An observer that has not run for this long has seen nothing, and nobody is to blame for it. */
const PAUSE_MS = 5000;
/** A look that is this late shows that the observer's loop is slow. */
const LATE_MS = 500;
/** How unwell an observer can be. */
const WORST = 4;
/** Where leases are short, a gap between two looks counts as no more than this share of the ttl, and as this at least. */
const GAP_SHARE = 1 / 6;
const SHORTEST_GAP_MS = 500;
/** What one look on time heals; a slow look costs 1. */
const HEALING = 0.1;

/** The time by which silence is judged; it runs slower than the clock while the observer itself is unwell. */
export interface ObserverTime {
  /** Moves on to a monotonic time and returns the judged one. `dueAt`: when this look was to come. */
  advance(now: number, dueAt?: number): number;
  /** There is a lease with this ttl. */
  heed(ttlMs: number): void;
  /** No gap between two looks counts as more, milliseconds. */
  readonly mostMs: number;
  /** The registry failed to answer: what arrives may be late for a while. */
  stumble(): void;
  /** 0 well, up to 4: silence counts 1 / (1 + unwell / 2). */
  readonly unwell: number;
  /** How often the observer had not run for more than 5 s. */
  readonly pauses: number;
}

/**
 * Creates the time of an observer: its own pauses do not count, and time-outs widen up to three times while it is slow
 * (after Lifeguard, "local health awareness").
 */
export function createObserverTime(start: number): ObserverTime {
  let last = start;
  let judged = start;
  let unwell = 0;
  let pauses = 0;
  let mostMs = PAUSE_MS;
  return {
    advance(now, dueAt) {
      const elapsed = Math.max(0, now - last);
      last = Math.max(last, now);
      if (elapsed > PAUSE_MS) {
        pauses += 1;
        unwell = Math.min(WORST, unwell + 1);
        return judged;
      }
      if (dueAt !== undefined)
        unwell =
          now - dueAt > LATE_MS ? Math.min(WORST, unwell + 1) : Math.max(0, unwell - HEALING);
      judged += Math.min(elapsed, mostMs) / (1 + unwell / 2);
      return judged;
    },
    heed(ttlMs) {
      mostMs = Math.min(mostMs, Math.max(ttlMs * GAP_SHARE, SHORTEST_GAP_MS));
    },
    get mostMs() {
      return mostMs;
    },
    stumble() {
      unwell = Math.min(WORST, unwell + 1);
    },
    get unwell() {
      return unwell;
    },
    get pauses() {
      return pauses;
    },
  };
}
