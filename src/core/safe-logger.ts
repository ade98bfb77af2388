import { describe } from './errors.js';
import type { LogFields, Logger } from './logger.js';
import { errorText } from './outcome.js';
import type { Redactor } from './redact.js';

const MAX_DEPTH = 4;

/**
 * Wraps a caller's logger: every text is redacted before it is written (E7), and a logger that throws is contained,
 * since an error in logging must not take the service down.
 */
export function createSafeLogger(logger: Logger, redact: Redactor): Logger {
  const forward = (level: keyof Logger) => (fields: LogFields, message: string) => {
    try {
      logger[level](cleanFields(fields, redact, 0) as LogFields, redact(message));
    } catch {
      // Nowhere is left to report it.
    }
  };
  return { info: forward('info'), warn: forward('warn'), error: forward('error') };
}

function cleanFields(value: unknown, redact: Redactor, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (value instanceof Error) return redact(errorText(value));
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return describe(value);
  if (Array.isArray(value)) return value.map((item) => cleanFields(item, redact, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, cleanFields(item, redact, depth + 1)]),
  );
}
