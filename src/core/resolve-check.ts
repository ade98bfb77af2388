import { type Check, type CheckOptions, type CheckRun, IMPACTS, type Impact } from './check.js';
import { DEFAULTS } from './defaults.js';
import { type Environment, type EnvironmentName, numberSetting } from './environment.js';
import { OptionError } from './errors.js';
import type { HealthOptions } from './health-options.js';
import { checkKnownCheckOptions } from './known-options.js';
import type { ComponentInfo } from './probe-state.js';
import {
  choiceOption,
  durationOption,
  functionOption,
  integerOption,
  nameOption,
  objectOption,
  textOption,
  textsOption,
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

type Checker = (option: string, value: unknown) => unknown;

/** What each timing must be. */
const TIMINGS = {
  intervalMs: (option, value) => durationOption(option, value, 10),
  timeoutMs: (option, value) => durationOption(option, value, 1),
  failureThreshold: thresholdOption,
  successThreshold: thresholdOption,
  mode: (option, value) => choiceOption(option, value, ['background', 'on-demand']),
  ttlMs: (option, value) => durationOption(option, value, 0),
  failureTtlMs: (option, value) => durationOption(option, value, 0),
} satisfies Record<keyof CheckDefaults, Checker>;

/** The variables that override a timing. */
const VARIABLES: Partial<Record<keyof CheckDefaults, EnvironmentName>> = {
  intervalMs: 'HALE_INTERVAL_MS',
  timeoutMs: 'HALE_TIMEOUT_MS',
  failureThreshold: 'HALE_FAILURE_THRESHOLD',
  successThreshold: 'HALE_SUCCESS_THRESHOLD',
};

/**
 * Completes the options for all checks.
 * @throws OptionError on a value outside its range.
 */
export function resolveCheckDefaults(
  options: Partial<CheckDefaults>,
  env: Environment,
): CheckDefaults {
  const defaults: CheckDefaults = { ...DEFAULTS.check, mode: 'background' };
  const given = objectOption('checkDefaults', options);
  return completeTimings(given, defaults, (key, value) => {
    const variable = VARIABLES[key];
    return variable === undefined
      ? TIMINGS[key](`checkDefaults.${key}`, value)
      : numberSetting(env, variable, value, TIMINGS[key] as Checker);
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
  checkKnownCheckOptions(path, definition);
  const { start, dispose } = definition;
  return {
    ...completeTimings(definition, defaults, (key, value) => TIMINGS[key](`${path}.${key}`, value)),
    name,
    impact: choiceOption(`${path}.impact`, definition.impact ?? 'critical', IMPACTS),
    component: componentOf(path, definition),
    // The definition may be a class instance: its methods keep their `this`.
    run: functionOption(`${path}.run`, definition.run).bind(definition),
    ...(start && { start: functionOption(`${path}.start`, start).bind(definition) }),
    ...(dispose && { dispose: functionOption(`${path}.dispose`, dispose).bind(definition) }),
  };
}

/** Each timing as given, or else by default, and checked. */
function completeTimings(
  given: Partial<CheckDefaults>,
  defaults: CheckDefaults,
  check: (key: keyof CheckDefaults, value: unknown) => unknown,
): CheckDefaults {
  const keys = Object.keys(TIMINGS) as (keyof CheckDefaults)[];
  return Object.fromEntries(
    keys.map((key) => [key, check(key, given[key] === undefined ? defaults[key] : given[key])]),
  ) as unknown as CheckDefaults;
}

function thresholdOption(option: string, value: unknown): number {
  return integerOption(option, value, { min: 1, max: 100 });
}

function componentOf(path: string, check: CheckOptions): ComponentInfo {
  const { componentType = 'component', componentId, measurement, affectedEndpoints, links } = check;
  const text = (key: string, value: string) => textOption(`${path}.${key}`, value);
  if (measurement !== undefined && text('measurement', measurement).includes(':'))
    throw new OptionError(`${path}.measurement`, 'a word without a colon', measurement);
  return {
    componentType: text('componentType', componentType),
    ...(componentId !== undefined && { componentId: text('componentId', componentId) }),
    ...(measurement !== undefined && { measurement }),
    ...(affectedEndpoints !== undefined && {
      affectedEndpoints: textsOption(`${path}.affectedEndpoints`, affectedEndpoints),
    }),
    ...(links !== undefined && { links: linksOf(`${path}.links`, links) }),
  };
}

// A copy of texts only: it crosses the thread boundary.
function linksOf(path: string, links: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(objectOption(path, links));
  return Object.fromEntries(
    entries.map(([key, link]) => [key, textOption(`${path}.${key}`, link)]),
  );
}
