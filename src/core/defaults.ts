/** Every default of hale, in one place, each with its reason. Durations in milliseconds. */
export const DEFAULTS = {
  check: {
    /** Often enough to notice within a probe period or two, rare enough that a thousand replicas are no load. */
    intervalMs: 5_000,
    /** Far below every prober's patience; a healthy dependency answers in a fraction of it. */
    timeoutMs: 1_000,
    /** One lost packet or one slow query is noise; three in a row at the quick re-check pace are not. */
    failureThreshold: 3,
    /** One lucky answer of an ailing dependency must not bring traffic back. */
    successThreshold: 2,
    /** On-demand results are shared by every probe of a burst, and no older than a probe period. */
    ttlMs: 2_000,
    /** A failure is cached too, or a burst of probes would stampede an ailing dependency; but briefly. */
    failureTtlMs: 1_000,
  },
  /** Pace of runs while outcome and verdict disagree: settle within seconds instead of intervals. */
  recheckMs: 1_000,
  /** Spreads the first runs of replicas started together. */
  firstDelayMs: 500,
  /** Falls this close together are one flapping dependency, not several failures. */
  flapWindowMs: 300_000,
  /** Checks running at once in the process: health must not become a load of its own. */
  concurrency: 8,
  /** Runs of one check that may hang at once: one to be unlucky, one to notice, no pile-up. */
  maxHanging: 2,
  /**
   * Waking up is what an idle process costs: ten beats a second are 0.1 to 0.25 % of a core by themselves. Two time a
   * stall of seconds well enough; a shorter `stallAfterMs` beats faster.
   */
  beatMs: 500,
  /** Longer than any healthy pause (a major collection, a large JSON.parse), far shorter than a human notices. */
  stallAfterMs: 5_000,
  /** The engine looks at itself this often; ten missed looks make the snapshot stale. */
  evaluateMs: 1_000,
  staleAfterMs: 10_000,
  guard: {
    /** One bad sample is a peak between two collections. */
    samples: 3,
    everyMs: 5_000,
  },
  lease: {
    /** Three missed renewals are down; shorter, and a pause for collection or a fail-over of the registry is death. */
    ttlMs: 30_000,
    /** A registry that is up answers within it. */
    retryMs: 2_000,
    /** Two attempts and more fit between a renewal that fails and the time to stop. */
    attemptTimeoutMs: 4_000,
    /** A request or a batch in progress ends within it. */
    stopMs: 5_000,
    /** Scheduling delays of this process and of the watchdog that ends it. */
    marginMs: 500,
  },
  /** The balancer's next two probes, so that an instance that is back gets traffic before another leaves. */
  keepPermitMs: 10_000,
  capacity: {
    /** The share of `leaveAt` at which pressure is over. */
    reenterShare: 0.8,
    /** A burst of requests is over sooner. */
    leaveAfterMs: 1_000,
    /** A lull between two waves lasts as long. */
    reenterAfterMs: 5_000,
  },
  /** Long enough for a place to become free, short enough that nobody gives up. */
  retryAfterMs: 1_000,
  /** Proxies learn of a removed endpoint 2 to 5 s later; twice that is safe. */
  propagationDelayMs: 10_000,
  /** Below the 30 s after which Kubernetes and ECS kill, with room for the exit itself. */
  shutdownDeadlineMs: 25_000,
  /** The drain after an uncaught exception: state is unknown, so finish little and leave. */
  crashDeadlineMs: 5_000,
  /** Five minutes is what people wait before they look; half of it leaves time for a second try. */
  startupBudgetMs: 150_000,
  /** Free of well-known services; the same number in every example and manifest. */
  port: 9_400,
  diagnosticPort: 9_401,
  /** Loopback: details are for the operator on the machine unless said otherwise. */
  diagnosticHost: '127.0.0.1',
  /** Orchestrators hold one or two connections; a scan or a flood holds hundreds. */
  maxConnections: 256,
  /** A prober sends its whole request in one packet. */
  headersTimeoutMs: 5_000,
  /** A probe's headers fit in a tenth of it. */
  maxHeaderBytes: 8_192,
  /** An on-demand probe answers with what it has after this long. */
  onDemandWaitMs: 1_500,
} as const;
