import { describe } from './errors.js';

/** Longer messages are cut before anything looks through them. */
const MAX_TEXT = 16_384;

/** Causes and aggregated errors looked into; a cycle ends here too. */
const MAX_DEPTH = 3;

/**
 * The text of anything thrown: its message, its code where it has no message, and its cause's text. Never throws,
 * whatever the value does when looked at.
 */
export function errorText(error: unknown): string {
  return textWithCause(error, 0);
}

function textWithCause(error: unknown, depth: number): string {
  const text = ownText(error, depth);
  const cause = property(error, 'cause');
  if (cause === undefined || cause === null || depth === MAX_DEPTH) return text;
  const causeText = textWithCause(cause, depth + 1);
  return text.includes(causeText) ? text : `${text}: ${causeText}`;
}

function ownText(error: unknown, depth: number): string {
  if (typeof error === 'string') {
    return error === '' ? 'failed with an empty message' : error.slice(0, MAX_TEXT);
  }
  if (typeof error !== 'object' || error === null) return `threw ${describe(error)}`;
  const message = textProperty(error, 'message');
  if (message !== undefined) return message;
  // An AggregateError of connection attempts has an empty message; its first error says what happened.
  const first = property(property(error, 'errors'), '0');
  if (first !== undefined && depth < MAX_DEPTH) return textWithCause(first, depth + 1);
  return textProperty(error, 'code') ?? textProperty(error, 'name') ?? threwText(error);
}

function threwText(error: object): string {
  try {
    void (error as { message?: unknown }).message;
    return `threw ${describe(error)}`;
  } catch {
    return `threw ${describe(error)}, whose message cannot be read`;
  }
}

function textProperty(of: unknown, key: string): string | undefined {
  const value = property(of, key);
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT) : undefined;
}

function property(of: unknown, key: string): unknown {
  try {
    return (of as Record<string, unknown> | null | undefined)?.[key];
  } catch {
    return undefined;
  }
}
