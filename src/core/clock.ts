/** A started timer; `clear()` is idempotent and safe after the timer has fired. */
export interface Timer {
  clear(): void;
}

export interface TimerOptions {
  /**
   * Whether the timer alone keeps the process alive. Only the drain deadline does.
   * @defaultValue false
   */
  keepsProcessAlive?: boolean;
}

/**
 * Where time enters hale. Everything but the system clock is a function of it, so that every
 * behaviour in time can be tested without waiting.
 */
export interface Clock {
  /** Monotonic milliseconds, comparable between the threads of one process, never with another process. */
  now(): number;
  /** Wall-clock milliseconds since the epoch; for display only, never for a decision. */
  wallNow(): number;
  /** Milliseconds since the machine booted, time in which it was suspended included; absent where nobody can tell. */
  uptimeMs?(): number;
  setTimeout(callback: () => void, delayMs: number, options?: TimerOptions): Timer;
}

/** Uniform random number in [0, 1); injected so that jitter is reproducible in tests. */
export type Random = () => number;
