import { HttpProblem } from '../problem.js';

const MAX_MS = 120_000;

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 60) ?? 'nothing';
}

/**
 * A duration from the query string; undefined when it is absent.
 * @throws HttpProblem 400 naming the accepted range and the value got.
 */
export function msParameter(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const ms = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (ms >= 1 && ms <= MAX_MS) return ms;
  const message = `ms must be a whole number from 1 to ${MAX_MS}, got ${shown(value)}`;
  throw new HttpProblem(400, 'invalid_request', message);
}

/**
 * One of some words from the query string.
 * @throws HttpProblem 400 naming the words and the value got.
 */
export function choiceParameter<T extends string>(
  name: string,
  value: unknown,
  accepted: readonly T[],
): T {
  const found = accepted.find((word) => word === value);
  if (found !== undefined) return found;
  const message = `${name} must be one of ${accepted.join(', ')}, got ${shown(value)}`;
  throw new HttpProblem(400, 'invalid_request', message);
}
