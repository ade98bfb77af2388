import type { AdmissionOptions } from './admission-options.js';
import type { CapacityOptions } from './capacity.js';
import type { Check } from './check.js';
import { HaleError } from './errors.js';
import type {
  DiagnosticListenerOptions,
  HealthOptions,
  LeasesOptions,
  LivenessOptions,
  ProbeListenerOptions,
  ShutdownOptions,
  StartupOptions,
} from './health-options.js';

/** Every key of an object of options: the compiler sees to it that none is missing. */
type Keys<T> = Readonly<Record<keyof Required<T>, true>>;

const HEALTH: Keys<HealthOptions> = {
  ...{ version: true, releaseId: true, serviceId: true, description: true },
  ...{ checks: true, checkDefaults: true, concurrency: true, groups: true },
  ...{ liveness: true, startup: true, probes: true, diagnostic: true, systemd: true },
  ...{ capacity: true, admission: true, mayLeave: true, loadBalancerIdleTimeoutMs: true },
  ...{ shutdown: true, leases: true, signals: true, isolation: true, background: true },
  ...{ redactKeys: true, logger: true, clock: true, random: true, env: true },
};

interface Groups {
  checkDefaults: NonNullable<HealthOptions['checkDefaults']>;
  liveness: LivenessOptions;
  startup: StartupOptions;
  probes: ProbeListenerOptions;
  diagnostic: DiagnosticListenerOptions;
  capacity: CapacityOptions;
  admission: AdmissionOptions;
  shutdown: ShutdownOptions;
  leases: LeasesOptions;
}

const GROUPS: { readonly [K in keyof Groups]: Keys<Groups[K]> } = {
  checkDefaults: {
    ...{ intervalMs: true, timeoutMs: true, failureThreshold: true, successThreshold: true },
    ...{ mode: true, ttlMs: true, failureTtlMs: true },
  },
  liveness: { guards: true, stallAfterMs: true },
  startup: { budgetMs: true, onTimeout: true },
  probes: {
    ...{ port: true, host: true, paths: true, aliases: true, details: true, warnStatus: true },
    ...{ maxConnections: true, tcp: true, agentCheck: true, grpc: true, tls: true, files: true },
  },
  diagnostic: { port: true, host: true, token: true, tls: true, unprotected: true },
  capacity: { leaveAt: true, reenterAt: true, leaveAfterMs: true, reenterAfterMs: true },
  admission: { limit: true, retryAfterMs: true },
  shutdown: {
    ...{ propagationDelayMs: true, deadlineMs: true, gracePeriodMs: true, crashDeadlineMs: true },
    ...{ onUncaughtException: true, onUnhandledRejection: true, showProgress: true },
  },
  leases: { killSwitch: true },
};

const CHECK: Keys<Check> = {
  ...{ impact: true, intervalMs: true, timeoutMs: true, failureThreshold: true },
  ...{ successThreshold: true, mode: true, ttlMs: true, failureTtlMs: true },
  ...{ componentType: true, componentId: true, measurement: true, affectedEndpoints: true },
  ...{ links: true, run: true, start: true, dispose: true },
};

/** So many letters may be wrong, missing or too many for a name to be a misspelling of another. */
const TYPOS = 2;

/**
 * Refuses a key that is no option: a misspelled one would be ignored without a word.
 * @throws HaleError `HALE_OPTION_INVALID` naming the key, and the option it may have been meant for.
 */
export function checkKnownOptions(options: HealthOptions): void {
  refuseUnknown('', options, Object.keys(HEALTH));
  for (const [group, keys] of Object.entries(GROUPS)) {
    const given: unknown = options[group as keyof Groups];
    if (typeof given === 'object' && given !== null)
      refuseUnknown(`${group}.`, given, Object.keys(keys));
  }
}

/**
 * Refuses a key of a check that is nearly an option; a check may have fields of its own, and what a class calls its own,
 * such as `state` or `disposed`, is no misspelling.
 * @throws HaleError `HALE_OPTION_INVALID` naming the key and the option it may have been meant for.
 */
export function checkKnownCheckOptions(path: string, check: object): void {
  if (isOfClass(check)) return;
  const known = Object.keys(CHECK);
  for (const key of Object.keys(check)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    if (meant !== undefined) refuse(`${path}.${key}`, meant);
  }
}

function isOfClass(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // A plain object may come from another realm, whose own prototype has none either.
  return prototype !== null && Object.getPrototypeOf(prototype) !== null;
}

function refuseUnknown(path: string, given: object, known: readonly string[]): void {
  for (const [key, value] of Object.entries(given)) {
    // What is set to nothing asks for nothing.
    if (value !== undefined && !known.includes(key)) refuse(`${path}${key}`, nearest(key, known));
  }
}

function refuse(option: string, meant: string | undefined): never {
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new HaleError('HALE_OPTION_INVALID', `${option.slice(0, 100)} is no option${hint}`);
}

function nearest(key: string, known: readonly string[]): string | undefined {
  // A short name is near to too much.
  return known.find(
    (name) => name.length > TYPOS + 1 && isNear(key.toLowerCase(), name.toLowerCase()),
  );
}

function isNear(a: string, b: string): boolean {
  return Math.abs(a.length - b.length) <= TYPOS && distance(a, b) <= TYPOS;
}

/** Letters to change, add or take away to make one text the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= b.length; column += 1) {
      const change = (row[column - 1] ?? 0) + (b[column - 1] === letter ? 0 : 1);
      next.push(Math.min(change, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
