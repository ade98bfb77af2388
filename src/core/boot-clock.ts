/** Less than this is the coarseness of the two clocks. */
const NOISE_MS = 500;

/**
 * Time in which a suspended machine counts as elapsed. The monotonic clock stands still while a virtual machine is
 * suspended, and a registry elsewhere does not.
 */
export interface BootClock {
  now(): number;
  /** By how much {@link BootClock.now} is ahead of the monotonic clock. */
  readonly suspendedMs: number;
}

export interface BootClockOptions {
  /** Monotonic milliseconds. */
  now(): number;
  /** Milliseconds since the machine booted, suspends included. */
  uptimeMs(): number;
}

/** Creates the clock; suspends before that do not count. */
export function createBootClock({ now, uptimeMs }: BootClockOptions): BootClock {
  let baseMs = uptimeMs() - now();
  let suspendedMs = 0;
  return {
    now() {
      const monotonic = now();
      const driftMs = uptimeMs() - monotonic - baseMs;
      if (driftMs > NOISE_MS) {
        suspendedMs += driftMs;
        baseMs += driftMs;
      }
      return monotonic + suspendedMs;
    },
    get suspendedMs() {
      return suspendedMs;
    },
  };
}
