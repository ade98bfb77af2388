import type { ProbePaths } from './probe-options.js';

/** Paths that other frameworks and platforms use for the same three questions. */
export const PATH_SETS = {
  kubernetes: { liveness: ['/livez'], readiness: ['/readyz'], startup: ['/startupz'] },
  microprofile: {
    liveness: ['/health/live'],
    readiness: ['/health/ready'],
    startup: ['/health/started'],
  },
  spring: {
    liveness: ['/actuator/health/liveness'],
    readiness: ['/actuator/health/readiness'],
    startup: ['/actuator/health/startup'],
  },
  plain: { liveness: ['/live'], readiness: ['/ready'], startup: ['/startup'] },
} as const satisfies Record<string, ProbePaths>;

/** Paths that answer something else, and so no probe. */
export const METRICS_PATH = '/metrics';
export const STATUS_PATH = '/healthz/status';
export const STATUS_EVENTS_PATH = '/healthz/status/events';

export type PathSet = keyof typeof PATH_SETS;
