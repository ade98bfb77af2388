/** Delays of the last window, in milliseconds. */
export interface DelaySummary {
  readonly maxMs: number;
  readonly meanMs: number;
  readonly p99Ms: number;
}

/** A sliding window of timer delays; reading it changes nothing. */
export interface DelayWindow {
  /** Records that a timer fired `delayMs` late. */
  record(delayMs: number): void;
  /** The window's figures, counting a delay that is still going on. */
  summary(pendingDelayMs: number): DelaySummary;
}

/**
 * Creates a window over the last `capacity` ticks of a timer with period `periodMs`. A late tick also
 * stands for the ticks it kept from happening, each less late than the one before, so the figures are
 * what a request arriving at a random moment would have met.
 */
export function createDelayWindow(capacity: number, periodMs: number): DelayWindow {
  const ring = new Float64Array(capacity);
  let next = 0;
  let size = 0;
  const push = (delayMs: number) => {
    ring[next] = delayMs;
    next = (next + 1) % capacity;
    size = Math.min(size + 1, capacity);
  };
  return {
    record: (delayMs) => {
      for (const each of spreadDelay(delayMs, periodMs, capacity)) push(each);
    },
    summary: (pendingDelayMs) => {
      const pending = spreadDelay(pendingDelayMs, periodMs, capacity);
      const kept = capacity - pending.length;
      const past = size < capacity ? ring.subarray(0, size) : inOrder(ring, next);
      const recent = past.subarray(Math.max(0, past.length - kept));
      return summarize(Float64Array.of(...recent, ...pending));
    },
  };
}

/** The delays of a late tick and of the ticks it kept from happening, longest first, at most `capacity` of them. */
export function spreadDelay(delayMs: number, periodMs: number, capacity: number): number[] {
  const delay = Math.max(0, delayMs);
  const ticks = Math.min(capacity, 1 + Math.floor(delay / periodMs));
  return Array.from({ length: ticks }, (_, index) => delay - index * periodMs);
}

function inOrder(ring: Float64Array, oldest: number): Float64Array {
  return Float64Array.of(...ring.subarray(oldest), ...ring.subarray(0, oldest));
}

function summarize(delays: Float64Array): DelaySummary {
  const sorted = delays.toSorted();
  const sum = sorted.reduce((total, each) => total + each, 0);
  const last = sorted.length - 1;
  return {
    maxMs: sorted[last] ?? 0,
    meanMs: sum / sorted.length,
    p99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
  };
}
