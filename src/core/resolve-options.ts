import { DEFAULTS } from './defaults.js';
import { type Environment, numberVariable } from './environment.js';
import { OptionError } from './errors.js';
import { type Group, createGroup } from './group.js';
import type { HealthOptions } from './health-options.js';
import type { ProbeOptions } from './probe-options.js';
import {
  type CheckDefaults,
  type ResolvedCheck,
  resolveCheck,
  resolveCheckDefaults,
} from './resolve-check.js';
import { resolveProbeOptions } from './resolve-probes.js';
import { durationOption, choiceOption, integerOption } from './validate.js';

/** Options complete and checked: every default applied, every environment variable read. */
export interface ResolvedOptions {
  readonly checkDefaults: CheckDefaults;
  readonly checks: readonly ResolvedCheck[];
  readonly groups: readonly Group[];
  readonly concurrency: number;
  readonly probes: ProbeOptions;
  readonly startup: { readonly budgetMs: number; readonly onTimeout: 'report' | 'exit' };
  readonly shutdown: ResolvedShutdown;
  readonly signals: boolean;
}

export interface ResolvedShutdown {
  /** Absent: decided at shutdown, by whether a server was registered. */
  readonly propagationDelayMs?: number;
  readonly deadlineMs: number;
  readonly crashDeadlineMs: number;
  readonly onUnhandledRejection: 'shutdown' | 'log';
}

/**
 * Completes and checks options. Environment variables override options, which override defaults; what a single
 * check sets for itself stays.
 * @throws OptionError naming the option or variable, the accepted range and the value got.
 */
export function resolveOptions(options: HealthOptions, env: Environment): ResolvedOptions {
  const checkDefaults = resolveCheckDefaults(options.checkDefaults ?? {}, env);
  const checks = Object.entries(options.checks ?? {}).map(([name, check]) =>
    resolveCheck(name, check, checkDefaults),
  );
  const groups = Object.entries(options.groups ?? {}).map(([name, group]) =>
    createGroup(name, group),
  );
  refuseUnknownMembers(groups, new Set(checks.map(({ name }) => name)));
  return {
    checkDefaults,
    checks,
    groups,
    concurrency: integerOption('concurrency', options.concurrency ?? DEFAULTS.concurrency, {
      min: 1,
      max: 1000,
    }),
    probes: resolveProbeOptions(options, env),
    startup: {
      budgetMs: durationOption(
        'startup.budgetMs',
        numberVariable(env, 'HALE_STARTUP_BUDGET_MS') ??
          options.startup?.budgetMs ??
          DEFAULTS.startupBudgetMs,
      ),
      onTimeout: choiceOption('startup.onTimeout', options.startup?.onTimeout ?? 'report', [
        'report',
        'exit',
      ]),
    },
    shutdown: resolveShutdown(options.shutdown ?? {}, env),
    signals: options.signals ?? true,
  };
}

function refuseUnknownMembers(groups: readonly Group[], names: ReadonlySet<string>): void {
  for (const group of groups) {
    for (const { check } of group.members) {
      if (!names.has(check)) {
        throw new OptionError(
          `groups.${group.name}.members`,
          `names from checks (${[...names].join(', ')})`,
          check,
        );
      }
    }
  }
}

function resolveShutdown(
  options: NonNullable<HealthOptions['shutdown']>,
  env: Environment,
): ResolvedShutdown {
  const deadlineMs = durationOption(
    'shutdown.deadlineMs',
    numberVariable(env, 'HALE_SHUTDOWN_DEADLINE_MS') ??
      options.deadlineMs ??
      DEFAULTS.shutdownDeadlineMs,
  );
  const delay = numberVariable(env, 'HALE_PROPAGATION_DELAY_MS') ?? options.propagationDelayMs;
  if (
    delay !== undefined &&
    durationOption('shutdown.propagationDelayMs', delay, 0) >= deadlineMs
  ) {
    throw new OptionError(
      'shutdown.propagationDelayMs',
      `below shutdown.deadlineMs (${deadlineMs})`,
      delay,
    );
  }
  return {
    ...(delay === undefined ? {} : { propagationDelayMs: delay }),
    deadlineMs,
    crashDeadlineMs: durationOption(
      'shutdown.crashDeadlineMs',
      options.crashDeadlineMs ?? Math.min(DEFAULTS.crashDeadlineMs, deadlineMs),
    ),
    onUnhandledRejection: choiceOption(
      'shutdown.onUnhandledRejection',
      options.onUnhandledRejection ?? 'shutdown',
      ['shutdown', 'log'],
    ),
  };
}
