import type { Clock } from './clock.js';
import type { Logger } from './logger.js';

/**
 * What a check means for readiness: `critical` fails it, `degraded` keeps the instance in rotation with
 * status `warn`, `optional` is only reported.
 */
export type Impact = (typeof IMPACTS)[number];

/** Every {@link Impact}. */
export const IMPACTS = ['critical', 'degraded', 'optional'] as const;

/** The status of an outcome, a verdict or a probe, after health+json. */
export type Status = 'pass' | 'warn' | 'fail';

/** The status of a check, which may also have never run or have expired. */
export type CheckStatus = Status | 'unknown';

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** What a check may return when it has more to say than "it passed". */
export interface CheckResult {
  /** @defaultValue 'pass' */
  status?: Status;
  /** A stable snake_case word for this kind of outcome, such as `pool_stuck`. */
  code?: string;
  observedValue?: JsonValue;
  observedUnit?: string;
  /** One human-readable line; redacted before it is kept. */
  output?: string;
}

/**
 * Looks at one dependency. Returning nothing passes, throwing fails, a {@link CheckResult} says more.
 * It should stop when `signal` aborts; its timeout holds even if it does not.
 */
export type CheckRun = (signal: AbortSignal) => CheckReturn | Promise<CheckReturn>;

// `void` lets `async () => { await fetch(url) }` be a check without a return statement.
export type CheckReturn = CheckResult | undefined | void;

/** What hale hands a check that keeps state of its own (a sampler, a reserved connection). */
export interface CheckContext {
  clock: Clock;
  logger: Logger;
}

export interface CheckOptions {
  /** @defaultValue 'critical' */
  impact?: Impact;
  /** Pause between the end of a run and the start of the next, before jitter. @defaultValue 5000 */
  intervalMs?: number;
  /** A run that takes longer fails, whether or not it heeds its signal. @defaultValue 1000 */
  timeoutMs?: number;
  /** Consecutive failures before a passing check counts as failed. @defaultValue 3 */
  failureThreshold?: number;
  /** Consecutive successes before a failed check counts as recovered. @defaultValue 2 */
  successThreshold?: number;
  /**
   * `background` runs on a schedule; `on-demand` runs when a probe asks and no fresh result is cached.
   * @defaultValue 'background'
   */
  mode?: 'background' | 'on-demand';
  /** How long an on-demand success is served from the cache. @defaultValue 2000 */
  ttlMs?: number;
  /** How long an on-demand failure is served from the cache. @defaultValue 1000 */
  failureTtlMs?: number;
  /** health+json `componentType`. @defaultValue 'component' */
  componentType?: string;
  /** health+json `componentId`. */
  componentId?: string;
  /** The part after the colon in the health+json key, such as `responseTime`. */
  measurement?: string;
  /** health+json `affectedEndpoints`, URI templates; reported only while the check does not pass. */
  affectedEndpoints?: readonly string[];
  /** health+json `links`: name → URI. */
  links?: Readonly<Record<string, string>>;
}

/** A check and how to run it. */
export interface Check extends CheckOptions {
  run: CheckRun;
  /** Called once before the first run. */
  start?(context: CheckContext): void;
  /** Called once when the check is removed or hale is disposed; releases what the check holds. */
  dispose?(): void | Promise<void>;
}
