/** Less than this is the coarseness of the two clocks. */
const NOISE_MS = 500;
/** Where the time since boot comes in whole seconds, as on Bun and Deno. */
const WHOLE_SECONDS_NOISE_MS = 1500;

/** How much of what the time since boot has gained on the monotonic clock was a suspend: all of it, or nothing. */
export function suspendMs(gainedMs: number, uptimeMs: number): number {
  const noiseMs = uptimeMs % 1000 === 0 ? WHOLE_SECONDS_NOISE_MS : NOISE_MS;
  return gainedMs > noiseMs ? gainedMs : 0;
}

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
      const uptime = uptimeMs();
      const gainedMs = suspendMs(uptime - monotonic - baseMs, uptime);
      suspendedMs += gainedMs;
      baseMs += gainedMs;
      return monotonic + suspendedMs;
    },
    get suspendedMs() {
      return suspendedMs;
    },
  };
}
