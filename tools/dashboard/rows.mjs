import { heatmap, holders, lines, liveness, readiness, stacked, verdicts } from './panels.mjs';

const INSTANCE = '{{instance}}';
const CHECK = '{{check}}';

/** @param {string} family @param {string} by */
const p99 = (family, by) =>
  `histogram_quantile(0.99, sum by (${by}, le) (rate(${family}_bucket{$own}[$__rate_interval])))`;

/** @param {import('./panels.mjs').Panel['shape']} shape */
const panel =
  (shape) =>
  /**
   * @param {string} title
   * @param {string} about
   * @param {[expr: string, legend: string][]} queries
   * @param {{ width?: number, unit?: string }} [more]
   * @returns {import('./panels.mjs').Panel}
   */
  (title, about, queries, { width = 12, unit } = {}) => ({
    title,
    about,
    queries: queries.map(([expr, legend]) => ({ expr, legend })),
    width,
    shape,
    ...(unit === undefined ? {} : { unit }),
  });

const service = [
  panel(lines)(
    'Ready instances',
    'Those that are ready or degraded, beside all that are scraped.',
    [
      ['sum by (job) (hale_probe_status{probe="readiness",$own} >= bool 0.5)', '{{job}} ready'],
      ['count by (job) (up{$own} and on (job) hale_build_info)', '{{job}} all'],
    ],
    { width: 8 },
  ),
  panel(stacked)(
    'Not ready, by reason',
    'How many instances were not ready at a time, by reason code.',
    [
      [
        'sum by (reason) (rate(hale_not_ready_seconds_total{$own}[$__rate_interval]))',
        '{{reason}}',
      ],
    ],
    { width: 8 },
  ),
  panel(stacked)(
    'Phases',
    'In which phase the instances are.',
    [['sum by (phase) (hale_phase{$own})', '{{phase}}']],
    { width: 8 },
  ),
  panel(readiness)('Readiness', 'What each instance answers to the readiness probe.', [
    ['hale_probe_status{probe="readiness",$own}', INSTANCE],
  ]),
  panel(liveness)('Liveness', 'What each instance answers to the liveness probe.', [
    ['hale_probe_status{probe="liveness",$own}', INSTANCE],
  ]),
  panel(stacked)(
    'Reasons now',
    'The reason that each instance gives for what readiness says, counted.',
    [['count by (reason) (hale_probe_reason{probe="readiness",$own})', '{{reason}}']],
    { width: 8 },
  ),
  panel(lines)(
    'Releases',
    'How many instances run each release: a rollout is two lines that cross.',
    [['count by (version, release) (hale_build_info{$own})', '{{version}} {{release}}']],
    { width: 8 },
  ),
  panel(lines)(
    'Requests in flight',
    'What the instances are working on.',
    [['hale_requests_in_flight{$own}', INSTANCE]],
    { width: 8 },
  ),
];

const restarts = [
  panel(lines)(
    'Restarts',
    'How often the process behind an instance began anew, within a quarter of an hour.',
    [['changes(hale_process_start_time_seconds{$own}[15m])', INSTANCE]],
    { width: 6 },
  ),
  panel(lines)(
    'Liveness failures',
    'How often liveness turned from good to failed, within a quarter of an hour.',
    [['increase(hale_liveness_failures_total{$own}[15m])', INSTANCE]],
    { width: 6 },
  ),
  panel(lines)(
    'Ends that Kubernetes saw',
    'Restarts of containers with hale by the reason of the last end. Needs kube-state-metrics.',
    [
      [
        'sum by (reason) (increase(kube_pod_container_status_restarts_total[15m]) * on (namespace, pod, container) group_left (reason) (kube_pod_container_status_last_terminated_reason == 1) and on (namespace, pod) last_over_time(hale_build_info{$own}[15m]))',
        '{{reason}}',
      ],
    ],
    { width: 6 },
  ),
  panel(lines)(
    'Start-up',
    'Time from creation to the end of start-up, of the slowest instances.',
    [
      ['quantile by (job) (0.99, hale_startup_duration_seconds{$own})', '{{job}} p99'],
      [
        'quantile by (job) (0.99, hale_startup_duration_seconds{$own} offset 1w)',
        '{{job}} a week ago',
      ],
    ],
    { width: 6, unit: 's' },
  ),
];

const checks = [
  panel(verdicts)('Checks', 'The verdict of each check, the worst of all instances.', [
    ['min by (check) (hale_check_status{$own,check=~"$check"})', CHECK],
  ]),
  panel(lines)(
    'Duration of checks, p99',
    'Failed runs too. Up to its timeout, one second by default.',
    [[p99('hale_check_duration_seconds', 'check').replace('$own', '$own,check=~"$check"'), CHECK]],
    { unit: 's' },
  ),
  panel(heatmap)(
    'Duration of checks',
    'How many runs took how long.',
    [
      [
        'sum by (le) (increase(hale_check_duration_seconds_bucket{$own,check=~"$check"}[$__rate_interval]))',
        '{{le}}',
      ],
    ],
    { unit: 's' },
  ),
  panel(lines)('Values', 'The number that a check saw, in the unit of the check.', [
    ['hale_check_value{$own,check=~"$check"}', '{{check}} ({{unit}}) {{instance}}'],
  ]),
  panel(lines)(
    'Changes of verdict',
    'A check that changes again and again flaps.',
    [
      [
        'sum by (check) (increase(hale_check_transitions_total{$own,check=~"$check"}[$__rate_interval]))',
        CHECK,
      ],
    ],
    { width: 8 },
  ),
  panel(lines)(
    'Abandoned runs',
    'Runs that passed their timeout and were given up.',
    [
      [
        'sum by (check) (increase(hale_check_abandoned_runs_total{$own,check=~"$check"}[$__rate_interval]))',
        CHECK,
      ],
    ],
    { width: 8 },
  ),
  panel(lines)(
    'Age of results',
    'Time since the last run ended, the oldest of all instances.',
    [['max by (check) (hale_check_age_seconds{$own,check=~"$check"})', CHECK]],
    { width: 8, unit: 's' },
  ),
];

const loop = [
  panel(lines)(
    'Event loop delay',
    'What a request that arrives at a random moment waits for.',
    [
      [p99('hale_event_loop_delay_seconds', 'instance'), '{{instance}} p99'],
      [p99('hale_event_loop_delay_seconds', 'instance').replace('0.99', '0.5'), '{{instance}} p50'],
    ],
    { width: 8, unit: 's' },
  ),
  panel(lines)(
    'Age of the beat and of the snapshot',
    'Time since the event loop turned, and since the checks were looked at.',
    [
      ['hale_event_loop_beat_age_seconds{$own}', '{{instance}} beat'],
      ['hale_snapshot_age_seconds{$own}', '{{instance}} snapshot'],
    ],
    { width: 8, unit: 's' },
  ),
  panel(lines)(
    'Making an answer to a probe, p99',
    'Measured where it is answered.',
    [[p99('hale_probe_handler_duration_seconds', 'probe'), '{{probe}}']],
    { width: 8, unit: 's' },
  ),
  panel(stacked)(
    'Answers to probes',
    'A second, by probe, reason and HTTP status.',
    [
      [
        'sum by (probe, reason, status) (rate(hale_probe_answers_total{$own}[$__rate_interval]))',
        '{{probe}} {{reason}} {{status}}',
      ],
    ],
    { unit: 'reqps' },
  ),
  panel(lines)(
    'Steps of the drain, mean',
    'Of the drains that were scraped while they ran.',
    [
      [
        'sum by (step) (hale_drain_step_duration_seconds_sum{$own}) / sum by (step) (hale_drain_step_duration_seconds_count{$own})',
        '{{step}}',
      ],
    ],
    { unit: 's' },
  ),
];

const leases = [
  panel(holders)('Holders', 'Which instance holds which lease.', [
    ['hale_lease_state{state="held",$own}', '{{lease}} {{instance}}'],
  ]),
  panel(stacked)('Attempts', 'To acquire, renew and release, a second, by their end.', [
    [
      'sum by (lease, outcome) (rate(hale_lease_attempts_total{$own}[$__rate_interval])) > 0',
      '{{lease}} {{outcome}}',
    ],
  ]),
];

const permits = [
  panel(stacked)(
    'Permits to leave rotation',
    'Where each instance stands. Only with exit permits.',
    [['sum by (state) (hale_exit_permit{$own})', '{{state}}']],
    { width: 24 },
  ),
];

/** Everything the dashboard shows. */
export const ROWS = [
  { title: 'Service', panels: service },
  { title: 'Restarts', panels: restarts },
  { title: 'Checks', panels: checks },
  { title: 'Event loop, probes and drain', panels: loop },
  { title: 'Leases', panels: leases },
  { title: 'Exit permits', panels: permits },
];
