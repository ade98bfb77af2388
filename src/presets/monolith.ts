import type { HealthOptions } from '../core/health-options.js';

/**
 * For one instance on one machine, under systemd or PM2 and behind a proxy on the same machine: probes for the
 * machine only, and an end that is quick because there is no second instance to take the traffic.
 */
export const monolithPreset = {
  /** Monitoring runs on the machine, or comes through the proxy. */
  probes: { host: '127.0.0.1', details: true },
  diagnostic: { host: '127.0.0.1' },
  shutdown: {
    /** The proxy has nowhere else to go: a wait would only lengthen the gap. */
    propagationDelayMs: 0,
    /** Below the 90 s of systemd; under PM2 set `kill_timeout` above it, its default is 1.6 s. */
    deadlineMs: 15_000,
  },
} as const satisfies HealthOptions;
