/** One metric, as every output tells it. */
export interface MetricDefinition {
  /**
   * As Prometheus names it: snake case, with its base unit, and `_total` at the end of a counter.
   * https://prometheus.io/docs/practices/naming/
   */
  readonly name: string;
  /** `info` is a gauge that is always 1 and tells something by its labels. */
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info';
  readonly help: string;
  /** The base unit, which is also in the name. */
  readonly unit?: 'seconds';
  /** Every label a sample may have; each takes a bounded set of values. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, in its unit. */
  readonly buckets?: readonly number[];
}

/** A run of a check ends by its timeout, one second by default. */
const CHECK_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** An answer is microseconds of work; only one that waits for on-demand checks takes longer. */
const HANDLER_BUCKETS = [0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.25, 1, 2.5];
/** From a timer that is on time to a loop that liveness gives up on. */
const LOOP_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A whole drain takes 25 seconds by default. */
const DRAIN_BUCKETS = [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 15, 25, 60];

/** Every metric of hale: the Prometheus text, OpenTelemetry and the bridge to prom-client all follow this list (O1). */
export const METRICS = {
  buildInfo: {
    name: 'hale_build_info',
    type: 'info',
    help: 'The service: its version, its release and the version of Node.js.',
    labels: ['version', 'release', 'node'],
  },
  processStartTime: {
    name: 'hale_process_start_time_seconds',
    type: 'gauge',
    help: 'When the process began, in seconds since 1970.',
    unit: 'seconds',
    labels: [],
  },
  phase: {
    name: 'hale_phase',
    type: 'gauge',
    help: '1 for the phase the process is in, 0 for the others.',
    labels: ['phase'],
  },
  probeAnswers: {
    name: 'hale_probe_answers_total',
    type: 'counter',
    help: 'Probes answered, by reason code and HTTP status.',
    labels: ['probe', 'reason', 'status'],
  },
  probeStatus: {
    name: 'hale_probe_status',
    type: 'gauge',
    help: 'What a probe says now: 1 pass, 0.5 warn, 0 fail.',
    labels: ['probe'],
  },
  probeReason: {
    name: 'hale_probe_reason',
    type: 'gauge',
    help: '1 for the reason code a probe gives now; the others are left out.',
    labels: ['probe', 'reason'],
  },
  probeHandlerDuration: {
    name: 'hale_probe_handler_duration_seconds',
    type: 'histogram',
    help: 'Time to make the answer to a probe, measured where it is answered.',
    unit: 'seconds',
    labels: ['probe'],
    buckets: HANDLER_BUCKETS,
  },
  notReady: {
    name: 'hale_not_ready_seconds_total',
    type: 'counter',
    help: 'Time in which readiness failed, by reason code.',
    unit: 'seconds',
    labels: ['reason'],
  },
  livenessFailures: {
    name: 'hale_liveness_failures_total',
    type: 'counter',
    help: 'Times liveness turned from good to failed.',
    labels: [],
  },
  checkStatus: {
    name: 'hale_check_status',
    type: 'gauge',
    help: 'Verdict of a check: 1 pass, 0.5 warn, 0 fail, -1 never ran or expired.',
    labels: ['check'],
  },
  checkValue: {
    name: 'hale_check_value',
    type: 'gauge',
    help: 'The number a check saw at its last run, in the first unit it ever gave; left out where it saw none.',
    labels: ['check', 'measurement', 'unit'],
  },
  checkDuration: {
    name: 'hale_check_duration_seconds',
    type: 'histogram',
    help: 'Duration of the runs of a check, failed ones too.',
    unit: 'seconds',
    labels: ['check'],
    buckets: CHECK_BUCKETS,
  },
  checkLastDuration: {
    name: 'hale_check_last_duration_seconds',
    type: 'gauge',
    help: 'Duration of the last run of a check, failed ones too.',
    unit: 'seconds',
    labels: ['check'],
  },
  checkAge: {
    name: 'hale_check_age_seconds',
    type: 'gauge',
    help: 'Time since the last run of a check ended.',
    unit: 'seconds',
    labels: ['check'],
  },
  checkRuns: {
    name: 'hale_check_runs_total',
    type: 'counter',
    help: 'Finished runs of a check.',
    labels: ['check'],
  },
  checkAbandonedRuns: {
    name: 'hale_check_abandoned_runs_total',
    type: 'counter',
    help: 'Runs of a check that passed their timeout and were given up.',
    labels: ['check'],
  },
  checkTransitions: {
    name: 'hale_check_transitions_total',
    type: 'counter',
    help: 'Changes of verdict of a check.',
    labels: ['check'],
  },
  startupDuration: {
    name: 'hale_startup_duration_seconds',
    type: 'gauge',
    help: 'Time from creation to the end of start-up.',
    unit: 'seconds',
    labels: [],
  },
  eventLoopDelay: {
    name: 'hale_event_loop_delay_seconds',
    type: 'histogram',
    help: 'How late the beat of the main event loop came; a stall also counts for each beat it kept from happening.',
    unit: 'seconds',
    labels: [],
    buckets: LOOP_BUCKETS,
  },
  eventLoopBeatAge: {
    name: 'hale_event_loop_beat_age_seconds',
    type: 'gauge',
    help: 'Time since the main event loop last turned.',
    unit: 'seconds',
    labels: [],
  },
  snapshotAge: {
    name: 'hale_snapshot_age_seconds',
    type: 'gauge',
    help: 'Time since the checks were last evaluated.',
    unit: 'seconds',
    labels: [],
  },
  requestsInFlight: {
    name: 'hale_requests_in_flight',
    type: 'gauge',
    help: 'Requests the application is working on.',
    labels: [],
  },
  drainStepDuration: {
    name: 'hale_drain_step_duration_seconds',
    type: 'histogram',
    help: 'Duration of the steps of the drain.',
    unit: 'seconds',
    labels: ['step'],
    buckets: DRAIN_BUCKETS,
  },
  leaseState: {
    name: 'hale_lease_state',
    type: 'gauge',
    help: '1 for the state a lease is in, 0 for the others.',
    labels: ['lease', 'state'],
  },
  leaseAttempts: {
    name: 'hale_lease_attempts_total',
    type: 'counter',
    help: 'Attempts to acquire, renew or release a lease, by their end.',
    labels: ['lease', 'outcome'],
  },
  exitPermit: {
    name: 'hale_exit_permit',
    type: 'gauge',
    help: '1 for where the permit to leave rotation stands, 0 for the others.',
    labels: ['state'],
  },
  exitPermits: {
    name: 'hale_exit_permits_total',
    type: 'counter',
    help: 'Questions for a permit to leave rotation, and permits given back, by their end.',
    labels: ['outcome'],
  },
} as const satisfies Record<string, MetricDefinition>;
