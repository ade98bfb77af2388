import type { HealthOptions } from '../core/health-options.js';

/**
 * For a fetch-style handler on a platform that starts and freezes processes as it likes: no thread, no listener and
 * no timer of hale's own, so that nothing is late after a freeze and nothing is billed between requests.
 */
export const onDemandPreset = {
  /** There is no second thread to answer from; the platform calls your handler. */
  isolation: 'inline',
  /** A frozen process keeps no schedule: checks run when a probe asks, and a burst of probes shares one run. */
  background: false,
  checkDefaults: { mode: 'on-demand' },
  /** The platform owns the port. */
  probes: false,
  diagnostic: false,
  /** The platform ends the process; a listener for signals would change what it sees. */
  signals: false,
  /** Most platforms give a cold start ten seconds. */
  startup: { budgetMs: 10_000 },
} as const satisfies HealthOptions;
