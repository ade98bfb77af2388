import type { CheckReturn, CheckRun } from '../../core/check.js';
import { errorText } from '../../core/error-text.js';

/** What a `HealthIndicator` of `@nestjs/terminus` 10 or 11 answers: one entry for each thing it looked at. */
export type IndicatorResult = Readonly<Record<string, IndicatorEntry>>;

/** One entry of it. */
export interface IndicatorEntry {
  readonly status: 'up' | 'down';
  readonly [detail: string]: unknown;
}

/**
 * Makes a check of a `HealthIndicator` of `@nestjs/terminus`: all `up` passes; one `down`, returned or thrown, fails
 * with its message, which is redacted like any other. An answer without a status fails.
 */
export function fromIndicator(
  indicate: (signal: AbortSignal) => IndicatorResult | PromiseLike<IndicatorResult>,
): CheckRun {
  return async (signal) => checkReturnOf(await indicated(() => indicate(signal)), true);
}

/** What a method that is a check, or that asks an indicator, means as a check. */
export async function indicated<T>(ask: () => T | PromiseLike<T>): Promise<T | IndicatorResult> {
  try {
    return await ask();
  } catch (error) {
    // Terminus 10 throws what is down, as a HealthCheckError with the result in `causes`.
    const { causes } = (error ?? {}) as { causes?: unknown };
    if (isIndicatorResult(causes) && entriesDown(causes).length > 0) return causes;
    throw error;
  }
}

/** The check's own answer for what an indicator, or a check, returned. @throws Error when `strict` and it is neither. */
export function checkReturnOf(value: unknown, strict: boolean): CheckReturn {
  if (!isIndicatorResult(value)) {
    if (strict) throw new Error('the indicator answered without a status');
    return value as CheckReturn;
  }
  const down = entriesDown(value);
  if (down.length === 0) return undefined;
  return { status: 'fail', output: down.map(describeEntry).join('; ') };
}

function isIndicatorResult(value: unknown): value is IndicatorResult {
  if (typeof value !== 'object' || value === null) return false;
  const entries: unknown[] = Object.values(value);
  return entries.length > 0 && entries.every(isEntry);
}

function isEntry(value: unknown): value is IndicatorEntry {
  const { status } = (value ?? {}) as { status?: unknown };
  return status === 'up' || status === 'down';
}

function entriesDown(result: IndicatorResult): [string, IndicatorEntry][] {
  return Object.entries(result).filter(([, { status }]) => status === 'down');
}

function describeEntry([key, { message, error }]: [string, IndicatorEntry]): string {
  const said = message ?? error;
  return `${key} is down${said === undefined ? '' : `: ${errorText(said)}`}`;
}
