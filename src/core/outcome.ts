import type { CheckResult, JsonValue, Status } from './check.js';
import { errorText } from './error-text.js';
import { HaleError, describe, isHaleError } from './errors.js';
import { redactLine, redactValue } from './redact-value.js';

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
const RESULT_KEYS = ['status', 'code', 'observedValue', 'observedUnit', 'output'] as const;

/**
 * Turns what a check returned into an outcome; never throws. A value that is not a {@link CheckResult} is a failed
 * outcome, never a pass: an unknown status must not be taken as good.
 */
export function outcomeFromResult(result: unknown, time: RunTime, redact: Redact): Outcome {
  if (result === undefined) return { status: 'pass', ...time };
  try {
    const { status = 'pass', code, observedValue, observedUnit, output } = readResult(result);
    return {
      status,
      ...(code === undefined ? {} : { code }),
      ...(observedValue === undefined ? {} : { observedValue: redactValue(observedValue, redact) }),
      ...(observedUnit === undefined ? {} : { observedUnit: redactLine(observedUnit, redact) }),
      ...(output === undefined ? {} : { output: redactLine(output, redact) }),
      ...time,
    };
  } catch (error) {
    return outcomeFromError(error, time, redact);
  }
}

/** Turns anything thrown into a failed outcome; never throws. */
export function outcomeFromError(error: unknown, time: RunTime, redact: Redact): Outcome {
  const output = redactLine(errorText(error), redact);
  return { status: 'fail', code: errorCode(error), output, ...time };
}

function errorCode(error: unknown): string {
  if (isHaleError(error, 'HALE_CHECK_TIMEOUT')) return 'timeout';
  if (isHaleError(error, 'HALE_CHECK_HUNG')) return 'hung';
  if (isHaleError(error, 'HALE_OUTCOME_INVALID')) return 'invalid_outcome';
  return 'error';
}

function readResult(result: unknown): CheckResult {
  try {
    const keys = resultKeys(result);
    // Each property is read once: a getter could give another value the second time.
    const read = Object.fromEntries(keys.map((key) => [key, (result as CheckResult)[key]]));
    refuseDefects(read);
    return read;
  } catch (error) {
    throw isHaleError(error)
      ? error
      : invalid(`a check's result cannot be read: ${errorText(error)}`);
  }
}

function resultKeys(result: unknown): typeof RESULT_KEYS {
  if (typeof result === 'object' && result !== null && isCheckResult(result)) return RESULT_KEYS;
  throw invalid(
    `a check must return nothing or an object with ${RESULT_KEYS.join(', ')}, got ${describe(result)}`,
  );
}

/** Neither `{ ok: false }` nor a returned error may pass for want of a status. */
function isCheckResult(result: object): boolean {
  if (result instanceof Error || Array.isArray(result)) return false;
  return RESULT_KEYS.some((key) => key in result) || isEmptyObject(result);
}

function isEmptyObject(result: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(result);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain && Object.keys(result).length === 0;
}

function refuseDefects({ status, code, observedUnit, output }: Record<string, unknown>): void {
  if (status !== undefined && !STATUSES.includes(status)) {
    throw invalid(`status must be "pass", "warn" or "fail", got ${describe(status)}`);
  }
  if (code !== undefined && !(typeof code === 'string' && CODE.test(code))) {
    throw invalid(`code must be a snake_case word of up to 64 characters, got ${describe(code)}`);
  }
  if (observedUnit !== undefined && typeof observedUnit !== 'string') {
    throw invalid(`observedUnit must be a string, got ${describe(observedUnit)}`);
  }
  if (output !== undefined && typeof output !== 'string') {
    throw invalid(`output must be a string, got ${describe(output)}`);
  }
}

function invalid(defect: string): HaleError {
  return new HaleError('HALE_OUTCOME_INVALID', defect);
}
