import { OptionError } from './errors.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variables hale reads, each with the option it overrides. */
export const ENVIRONMENT = {
  HALE_PORT: 'probes.port',
  HALE_HOST: 'probes.host',
  HALE_DIAGNOSTIC_PORT: 'diagnostic.port',
  HALE_DIAGNOSTIC_HOST: 'diagnostic.host',
  HALE_DIAGNOSTIC_TOKEN: 'diagnostic.token',
  HALE_TCP_PORT: 'probes.tcp.port',
  HALE_AGENT_CHECK_PORT: 'probes.agentCheck.port',
  HALE_GRPC_PORT: 'probes.grpc.port',
  HALE_ISOLATION: 'isolation',
  HALE_INTERVAL_MS: 'checkDefaults.intervalMs',
  HALE_TIMEOUT_MS: 'checkDefaults.timeoutMs',
  HALE_FAILURE_THRESHOLD: 'checkDefaults.failureThreshold',
  HALE_SUCCESS_THRESHOLD: 'checkDefaults.successThreshold',
  HALE_STALL_AFTER_MS: 'liveness.stallAfterMs',
  HALE_STARTUP_BUDGET_MS: 'startup.budgetMs',
  HALE_PROPAGATION_DELAY_MS: 'shutdown.propagationDelayMs',
  HALE_SHUTDOWN_DEADLINE_MS: 'shutdown.deadlineMs',
  HALE_KILL_SWITCH: 'leases.killSwitch',
  HALE_GRACE_PERIOD_MS: 'shutdown.gracePeriodMs',
  HALE_LOAD_BALANCER_IDLE_TIMEOUT_MS: 'loadBalancerIdleTimeoutMs',
} as const;

export type EnvironmentName = keyof typeof ENVIRONMENT;

/**
 * A text variable; empty counts as unset, as orchestrators render an absent value.
 * @throws OptionError when the caller's own environment holds anything but a text.
 */
export function textVariable(env: Environment, name: EnvironmentName): string | undefined {
  const value: unknown = env[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new OptionError(variablePath(name), 'a text', value);
  const text = value.trim();
  return text === '' ? undefined : text;
}

/**
 * A numeric variable; its range is checked with the option it overrides.
 * @throws OptionError when it is set to anything but a decimal number.
 */
export function numberVariable(env: Environment, name: EnvironmentName): number | undefined {
  const text = textVariable(env, name);
  if (text === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(text))
    throw new OptionError(variablePath(name), 'a decimal number', text);
  return Number(text);
}

/**
 * The variable's number if it is set, otherwise what the option says; either checked by `check` under its own name, so
 * that an error names the one that is wrong.
 * @throws OptionError from `check`, or when the variable is set to anything but a decimal number.
 */
export function numberSetting<T>(
  env: Environment,
  name: EnvironmentName,
  given: unknown,
  check: (option: string, value: unknown) => T,
): T {
  const override = numberVariable(env, name);
  return override === undefined
    ? check(ENVIRONMENT[name], given)
    : check(variablePath(name), override);
}

/** {@link numberSetting} for a text. */
export function textSetting<T>(
  env: Environment,
  name: EnvironmentName,
  given: unknown,
  check: (option: string, value: unknown) => T,
): T {
  const override = textVariable(env, name);
  return override === undefined
    ? check(ENVIRONMENT[name], given)
    : check(variablePath(name), override);
}

function variablePath(name: EnvironmentName): string {
  return `environment variable ${name} (${ENVIRONMENT[name]})`;
}
