import type { Check, CheckOptions, CheckRun, Impact } from './check.js';
import { DEFAULTS } from './defaults.js';
import { type Environment, type EnvironmentName, numberVariable } from './environment.js';
import { OptionError } from './errors.js';
import type { HealthOptions } from './health-options.js';
import type { ComponentInfo } from './probe-state.js';
import {
  choiceOption,
  durationOption,
  functionOption,
  integerOption,
  nameOption,
} from './validate.js';

/** The options a check falls back on. */
export type CheckDefaults = Readonly<Required<NonNullable<HealthOptions['checkDefaults']>>>;

/** A check with its options complete and checked. */
export interface ResolvedCheck extends CheckDefaults {
  readonly name: string;
  readonly impact: Impact;
  readonly component: ComponentInfo;
  readonly run: CheckRun;
  readonly start?: NonNullable<Check['start']>;
  readonly dispose?: NonNullable<Check['dispose']>;
}

const MODES = ['background', 'on-demand'] as const;

/**
 * Completes the options for all checks.
 * @throws OptionError on a value outside its range.
 */
export function resolveCheckDefaults(
  options: Partial<CheckDefaults>,
  env: Environment,
): CheckDefaults {
  const given = (name: EnvironmentName, value: number | undefined) =>
    numberVariable(env, name) ?? value;
  return completeTimings('checkDefaults', {
    intervalMs: given('HALE_INTERVAL_MS', options.intervalMs) ?? DEFAULTS.check.intervalMs,
    timeoutMs: given('HALE_TIMEOUT_MS', options.timeoutMs) ?? DEFAULTS.check.timeoutMs,
    failureThreshold:
      given('HALE_FAILURE_THRESHOLD', options.failureThreshold) ?? DEFAULTS.check.failureThreshold,
    successThreshold:
      given('HALE_SUCCESS_THRESHOLD', options.successThreshold) ?? DEFAULTS.check.successThreshold,
    mode: options.mode ?? 'background',
    ttlMs: options.ttlMs ?? DEFAULTS.check.ttlMs,
    failureTtlMs: options.failureTtlMs ?? DEFAULTS.check.failureTtlMs,
  });
}

/**
 * Completes one check's options.
 * @throws OptionError on a bad name, a missing `run` or a value outside its range.
 */
export function resolveCheck(
  name: string,
  check: CheckRun | Check,
  defaults: CheckDefaults,
): ResolvedCheck {
  const path = `checks.${nameOption('checks (a check name)', name)}`;
  if (typeof check !== 'function' && (typeof check !== 'object' || check === null)) {
    throw new OptionError(path, 'a function or an object with run', check);
  }
  const definition: Check = typeof check === 'function' ? { run: check } : check;
  return {
    ...completeTimings(path, { ...defaults, ...definedOf(definition) }),
    name,
    impact: choiceOption(`${path}.impact`, definition.impact ?? 'critical', [
      'critical',
      'degraded',
      'optional',
    ]),
    component: componentOf(path, definition),
    // The definition may be a class instance: its methods keep their `this`.
    run: functionOption(`${path}.run`, definition.run).bind(definition),
    ...(definition.start === undefined ? {} : { start: definition.start.bind(definition) }),
    ...(definition.dispose === undefined ? {} : { dispose: definition.dispose.bind(definition) }),
  };
}

function definedOf(options: CheckOptions): Partial<CheckDefaults> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function completeTimings(path: string, options: CheckDefaults): CheckDefaults {
  return {
    intervalMs: durationOption(`${path}.intervalMs`, options.intervalMs, 10),
    timeoutMs: durationOption(`${path}.timeoutMs`, options.timeoutMs, 1),
    failureThreshold: integerOption(`${path}.failureThreshold`, options.failureThreshold, {
      min: 1,
      max: 100,
    }),
    successThreshold: integerOption(`${path}.successThreshold`, options.successThreshold, {
      min: 1,
      max: 100,
    }),
    mode: choiceOption(`${path}.mode`, options.mode, MODES),
    ttlMs: durationOption(`${path}.ttlMs`, options.ttlMs, 0),
    failureTtlMs: durationOption(`${path}.failureTtlMs`, options.failureTtlMs, 0),
  };
}

function componentOf(path: string, check: CheckOptions): ComponentInfo {
  const { componentType = 'component', componentId, measurement, affectedEndpoints, links } = check;
  if (measurement?.includes(':'))
    throw new OptionError(`${path}.measurement`, 'a word without a colon', measurement);
  return {
    componentType,
    ...(componentId === undefined ? {} : { componentId }),
    ...(measurement === undefined ? {} : { measurement }),
    ...(affectedEndpoints === undefined ? {} : { affectedEndpoints }),
    ...(links === undefined ? {} : { links }),
  };
}
