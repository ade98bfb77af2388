import { type ResolvedAdmission, resolveAdmission } from './admission-options.js';
import { type Capacity, createCapacity } from './capacity.js';
import { DEFAULTS } from './defaults.js';
import { type Environment, numberSetting, textSetting } from './environment.js';
import { OptionError } from './errors.js';
import { type ExitPermits, exitPermitsOption } from './exit-permit.js';
import { type Group, createGroup } from './group.js';
import type {
  HealthOptions,
  LeasesOptions,
  ShutdownOptions,
  StartupOptions,
} from './health-options.js';
import { checkKnownOptions } from './known-options.js';
import type { ProbeOptions } from './probe-options.js';
import type { ServiceInfo } from './probe-state.js';
import {
  type CheckDefaults,
  type ResolvedCheck,
  resolveCheck,
  resolveCheckDefaults,
} from './resolve-check.js';
import { resolveProbeOptions } from './resolve-probes.js';
import { resolveSystemd } from './resolve-systemd.js';
import {
  booleanOption,
  choiceOption,
  durationOption,
  functionOption,
  integerOption,
  objectOption,
  textOption,
} from './validate.js';

/** Options complete and checked: every default applied, every environment variable read. */
export interface ResolvedOptions {
  readonly service: ServiceInfo;
  readonly checkDefaults: CheckDefaults;
  readonly checks: readonly ResolvedCheck[];
  readonly groups: readonly Group[];
  readonly concurrency: number;
  readonly probes: ProbeOptions;
  readonly startup: { readonly budgetMs: number; readonly onTimeout: 'report' | 'exit' };
  readonly capacity?: Capacity;
  readonly admission?: ResolvedAdmission;
  /** Absent: this instance may always leave. */
  readonly exitPermits?: ExitPermits;
  readonly loadBalancerIdleTimeoutMs?: number;
  readonly shutdown: ResolvedShutdown;
  readonly killSwitch: boolean;
  readonly signals: boolean;
  readonly background: boolean;
}

export interface ResolvedShutdown {
  /** Absent: decided at shutdown, by whether a server was registered. */
  readonly propagationDelayMs?: number;
  readonly deadlineMs: number;
  readonly crashDeadlineMs: number;
  readonly gracePeriodMs?: number;
  readonly onUncaughtException: 'shutdown' | 'leave';
  readonly onUnhandledRejection: 'shutdown' | 'log' | 'leave';
  /** Absent: when standard error is a terminal. */
  readonly showProgress?: boolean;
}

/**
 * Completes and checks options. Environment variables override options, which override defaults; what a single
 * check sets for itself stays.
 * @throws OptionError naming the option or variable, the accepted range and the value got.
 */
export function resolveOptions(options: HealthOptions, env: Environment): ResolvedOptions {
  checkKnownOptions(options);
  const { checkDefaults: given = {}, concurrency = DEFAULTS.concurrency, signals = true } = options;
  const checkDefaults = resolveCheckDefaults(
    options.background === false ? { mode: 'on-demand', ...given } : given,
    env,
  );
  const probes = resolveProbeOptions(options, env);
  const checks = Object.entries(objectOption('checks', options.checks ?? {})).map(([name, check]) =>
    resolveCheck(name, check, checkDefaults),
  );
  const shutdown = resolveShutdown(objectOption('shutdown', options.shutdown ?? {}), env);
  checkPorts(options);
  objectOption('liveness.guards', options.liveness?.guards ?? {});
  return {
    service: serviceOf(options),
    checkDefaults,
    checks,
    groups: resolveGroups(options, new Set(checks.map(({ name }) => name))),
    concurrency: integerOption('concurrency', concurrency, { min: 1, max: 1000 }),
    probes: { ...probes, ...resolveSystemd(options, env, shutdown.deadlineMs) },
    startup: resolveStartup(objectOption('startup', options.startup ?? {}), env),
    ...resolveCapacity(options),
    ...resolveExitPermits(options),
    ...resolveIdleTimeout(options, env),
    shutdown,
    killSwitch: resolveKillSwitch(objectOption('leases', options.leases ?? {}), env),
    signals: booleanOption('signals', signals),
    background: resolveBackground(options, probes),
  };
}

/** A variable of the environment that is set to nothing is no version. */
function serviceOf(options: HealthOptions): ServiceInfo {
  const names = ['version', 'releaseId', 'serviceId', 'description'] as const;
  const given = names.filter((name) => options[name] !== undefined && options[name] !== '');
  return Object.fromEntries(given.map((name) => [name, textOption(name, options[name])]));
}

const CLOCK = ['now', 'wallNow', 'setTimeout'] as const;
const LOGGER = ['info', 'warn', 'error'] as const;

/** What hale calls without looking: a logger's errors are contained, so every line would be lost without a word. */
function checkPorts({ clock, logger, random }: HealthOptions): void {
  if (clock !== undefined) checkMethods('clock', clock, CLOCK);
  if (logger !== undefined) checkMethods('logger', logger, LOGGER);
  if (random !== undefined) functionOption('random', random);
}

function checkMethods<K extends string>(
  option: string,
  port: Readonly<Record<K, unknown>> | null,
  methods: readonly K[],
): void {
  for (const method of methods) functionOption(`${option}.${method}`, port?.[method]);
}

/** Without timers nothing samples a guard, and a thread would be one. */
function resolveBackground(
  { background = true, liveness, systemd }: HealthOptions,
  { isolation, files }: ProbeOptions,
): boolean {
  if (booleanOption('background', background)) return true;
  if (isolation !== 'inline')
    throw new OptionError('isolation', '"inline" with background: false', isolation);
  if (Object.keys(liveness?.guards ?? {}).length > 0)
    throw new OptionError('liveness.guards', 'left out with background: false', liveness?.guards);
  // Both beat by themselves.
  if (files !== undefined)
    throw new OptionError('probes.files', 'left out with background: false', files);
  if (systemd !== undefined && systemd !== false)
    throw new OptionError('systemd', 'left out with background: false', systemd);
  return false;
}

function resolveGroups(options: HealthOptions, checks: ReadonlySet<string>): readonly Group[] {
  const entries = Object.entries(objectOption('groups', options.groups ?? {}));
  const groups = entries.map(([name, group]) => createGroup(name, group));
  const known = [...checks].join(', ');
  for (const { name, members } of groups) {
    if (checks.has(name)) throw new OptionError('groups', 'named unlike any check', name);
    const stranger = members.find(({ check }) => !checks.has(check));
    if (stranger !== undefined) {
      throw new OptionError(
        `groups.${name}.members`,
        `names from checks (${known})`,
        stranger.check,
      );
    }
  }
  return groups;
}

function resolveStartup(
  { budgetMs = DEFAULTS.startupBudgetMs, onTimeout = 'report' }: StartupOptions,
  env: Environment,
): ResolvedOptions['startup'] {
  return {
    budgetMs: numberSetting(env, 'HALE_STARTUP_BUDGET_MS', budgetMs, durationOption),
    onTimeout: choiceOption('startup.onTimeout', onTimeout, ['report', 'exit']),
  };
}

function resolveShutdown(options: ShutdownOptions, env: Environment): ResolvedShutdown {
  const { deadlineMs: deadline = DEFAULTS.shutdownDeadlineMs, propagationDelayMs } = options;
  const deadlineMs = numberSetting(env, 'HALE_SHUTDOWN_DEADLINE_MS', deadline, durationOption);
  const delayMs = numberSetting(
    env,
    'HALE_PROPAGATION_DELAY_MS',
    propagationDelayMs,
    (option, value) => (value === undefined ? undefined : delayOption(option, value, deadlineMs)),
  );
  const gracePeriodMs = numberSetting(
    env,
    'HALE_GRACE_PERIOD_MS',
    options.gracePeriodMs,
    (option, value) => (value === undefined ? undefined : durationOption(option, value)),
  );
  const { crashDeadlineMs = Math.min(DEFAULTS.crashDeadlineMs, deadlineMs) } = options;
  return {
    ...(delayMs === undefined ? {} : { propagationDelayMs: delayMs }),
    deadlineMs,
    ...(gracePeriodMs === undefined ? {} : { gracePeriodMs }),
    crashDeadlineMs: durationOption('shutdown.crashDeadlineMs', crashDeadlineMs),
    onUnhandledRejection: choiceOption(
      'shutdown.onUnhandledRejection',
      options.onUnhandledRejection ?? 'shutdown',
      ['shutdown', 'log', 'leave'],
    ),
    onUncaughtException: choiceOption(
      'shutdown.onUncaughtException',
      options.onUncaughtException ?? 'shutdown',
      ['shutdown', 'leave'],
    ),
    ...(options.showProgress === undefined
      ? {}
      : { showProgress: booleanOption('shutdown.showProgress', options.showProgress) }),
  };
}

function resolveKillSwitch({ killSwitch = true }: LeasesOptions, env: Environment): boolean {
  const given = booleanOption('leases.killSwitch', killSwitch) ? 'on' : 'off';
  const word = textSetting(env, 'HALE_KILL_SWITCH', given, (option, value) =>
    choiceOption(option, value, ['on', 'off']),
  );
  return word === 'on';
}

function resolveCapacity(options: HealthOptions): Pick<ResolvedOptions, 'capacity' | 'admission'> {
  const { capacity: given } = options;
  const capacity =
    given === undefined ? undefined : createCapacity(objectOption('capacity', given));
  const asked = objectOption('admission', options.admission ?? {});
  const admission = resolveAdmission(asked, capacity?.leaveAt);
  return {
    ...(capacity === undefined ? {} : { capacity }),
    ...(admission === undefined ? {} : { admission }),
  };
}

function resolveExitPermits({
  mayLeave,
  probes,
  background = true,
}: HealthOptions): Pick<ResolvedOptions, 'exitPermits'> {
  if (mayLeave === undefined) return {};
  const exitPermits = exitPermitsOption('mayLeave', mayLeave);
  // An instance that is held says `warn`, and must be in rotation with it.
  if (probes !== undefined && probes !== false && probes.warnStatus === 503)
    throw new OptionError('probes.warnStatus', '200 with mayLeave', probes.warnStatus);
  if (!background && typeof mayLeave !== 'function')
    throw new OptionError('mayLeave', 'a function with background: false', mayLeave);
  return { exitPermits };
}

function resolveIdleTimeout(
  { loadBalancerIdleTimeoutMs: given }: HealthOptions,
  env: Environment,
): Pick<ResolvedOptions, 'loadBalancerIdleTimeoutMs'> {
  const idleMs = numberSetting(env, 'HALE_LOAD_BALANCER_IDLE_TIMEOUT_MS', given, (option, value) =>
    value === undefined ? undefined : durationOption(option, value, 0),
  );
  return idleMs === undefined ? {} : { loadBalancerIdleTimeoutMs: idleMs };
}

function delayOption(option: string, value: unknown, deadlineMs: number): number {
  const delayMs = durationOption(option, value, 0);
  if (delayMs < deadlineMs) return delayMs;
  throw new OptionError(option, `below shutdown.deadlineMs (${deadlineMs})`, delayMs);
}
