import type { HealthOptions } from '../core/health-options.js';

/**
 * For a consumer of jobs without any HTTP of its own: no probe port, and a drain that begins with the jobs. Give
 * `probes: { port: 9400 }` after it where an orchestrator probes over HTTP.
 */
export const queueWorkerPreset = {
  probes: false,
  diagnostic: false,
  shutdown: {
    /** Nobody routes requests to a worker, so nobody needs to learn that it leaves. */
    propagationDelayMs: 0,
    /** Below the 30 s of Kubernetes and ECS; the whole of it is there for the jobs in progress. */
    deadlineMs: 25_000,
  },
} as const satisfies HealthOptions;
