import type { CheckResult, JsonValue, Status } from './check.js';
import { HaleError, describe, isHaleError } from './errors.js';

/** One finished run of a check, redacted, frozen in time. */
export interface Outcome {
  readonly status: Status;
  /** Stable snake_case word for the kind of outcome; `timeout`, `hung`, `error` are hale's own. */
  readonly code?: string;
  readonly observedValue?: JsonValue;
  readonly observedUnit?: string;
  readonly output?: string;
  /** Monotonic time at which the run ended. */
  readonly at: number;
  /** Wall-clock time at which the run ended, for display. */
  readonly wallAt: number;
  readonly durationMs: number;
}

/** When a run ended and how long it took. */
export interface RunTime {
  at: number;
  wallAt: number;
  durationMs: number;
}

type Redact = (text: string) => string;

const STATUSES: readonly unknown[] = ['pass', 'warn', 'fail'];
const CODE = /^[a-z][a-z0-9_]{0,63}$/;
const MAX_OUTPUT_LENGTH = 500;

/**
 * Turns what a check returned into an outcome. A value that is not a {@link CheckResult} is a failed
 * outcome, never a pass: an unknown status must not be taken as good.
 */
export function outcomeFromResult(result: unknown, time: RunTime, redact: Redact): Outcome {
  if (result === undefined) return { status: 'pass', ...time };
  const defect = findDefect(result);
  if (defect !== undefined) {
    return outcomeFromError(new HaleError('HALE_OUTCOME_INVALID', defect), time, redact);
  }
  const { status = 'pass', code, observedValue, observedUnit, output } = result as CheckResult;
  return {
    status,
    ...(code === undefined ? {} : { code }),
    ...(observedValue === undefined ? {} : { observedValue: redactValue(observedValue, redact) }),
    ...(observedUnit === undefined ? {} : { observedUnit: clip(redact(observedUnit)) }),
    ...(output === undefined ? {} : { output: clip(redact(output)) }),
    ...time,
  };
}

/** Turns anything thrown into a failed outcome. */
export function outcomeFromError(error: unknown, time: RunTime, redact: Redact): Outcome {
  return {
    status: 'fail',
    code: errorCode(error),
    output: clip(redact(errorText(error))),
    ...time,
  };
}

/** The text of anything thrown: its message, its code where it has no message, and its cause's text. */
export function errorText(error: unknown): string {
  const text = ownText(error);
  const cause = (error as { cause?: unknown } | null | undefined)?.cause;
  if (cause === undefined || cause === null) return text;
  const causeText = ownText(cause);
  return text.includes(causeText) ? text : `${text}: ${causeText}`;
}

function ownText(error: unknown): string {
  if (typeof error === 'string') return error === '' ? 'failed with an empty message' : error;
  if (typeof error !== 'object' || error === null) return `threw ${describe(error)}`;
  const { message, code, name, errors } = error as Record<string, unknown>;
  if (typeof message === 'string' && message !== '') return message;
  // An AggregateError of connection attempts has an empty message; its first error says what happened.
  if (Array.isArray(errors) && errors.length > 0) return ownText(errors[0]);
  if (typeof code === 'string' && code !== '') return code;
  return typeof name === 'string' ? name : `threw ${describe(error)}`;
}

function errorCode(error: unknown): string {
  if (isHaleError(error, 'HALE_CHECK_TIMEOUT')) return 'timeout';
  if (isHaleError(error, 'HALE_CHECK_HUNG')) return 'hung';
  if (isHaleError(error, 'HALE_OUTCOME_INVALID')) return 'invalid_outcome';
  return 'error';
}

function findDefect(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    return `a check must return nothing or an object with status, observedValue, observedUnit, output or code, got ${describe(result)}`;
  }
  const { status, code, observedUnit, output } = result as Record<string, unknown>;
  if (status !== undefined && !STATUSES.includes(status)) {
    return `status must be "pass", "warn" or "fail", got ${describe(status)}`;
  }
  if (code !== undefined && !(typeof code === 'string' && CODE.test(code))) {
    return `code must be a snake_case word of up to 64 characters, got ${describe(code)}`;
  }
  if (observedUnit !== undefined && typeof observedUnit !== 'string') {
    return `observedUnit must be a string, got ${describe(observedUnit)}`;
  }
  if (output !== undefined && typeof output !== 'string') {
    return `output must be a string, got ${describe(output)}`;
  }
  return undefined;
}

function redactValue(value: JsonValue, redact: Redact, depth = 0): JsonValue {
  if (typeof value === 'string') return clip(redact(value));
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean' || value === null) return value;
  // Bounded, so that a cyclic or huge object in a result cannot take the service down.
  if (depth === 4 || typeof value !== 'object') return describe(value);
  if (Array.isArray(value))
    return value.slice(0, 50).map((item) => redactValue(item, redact, depth + 1));
  const entries = Object.entries(value as Record<string, JsonValue>).slice(0, 50);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, redactEntry(key, item, redact, depth)]),
  );
}

function redactEntry(key: string, item: JsonValue, redact: Redact, depth: number): JsonValue {
  if (typeof item !== 'string') return redactValue(item, redact, depth + 1);
  // Redacting `key=value` as one text lets the key decide: `password: hunter2` has no pattern of its own.
  const joined = redact(`${key}=${item}`);
  return joined.startsWith(`${key}=`) ? clip(joined.slice(key.length + 1)) : '[redacted]';
}

function clip(text: string): string {
  return text.length > MAX_OUTPUT_LENGTH ? `${text.slice(0, MAX_OUTPUT_LENGTH)}…` : text;
}
