import { contain } from './contain.js';
import { errorText } from './error-text.js';
import type { LogFields, Logger } from './logger.js';
import { fieldsFirst } from './message-first.js';
import { redactLine, redactValue } from './redact-value.js';
import type { Redactor } from './redact.js';

const MAX_STACK = 4000;

/**
 * Wraps a caller's logger: every text is redacted and every value bounded before it is written (E7), and a logger
 * that throws, or rejects, is contained, since an error in logging must not take the service down.
 */
export function createSafeLogger(given: Logger, redact: Redactor): Logger {
  const logger = fieldsFirst(given);
  const forward = (level: keyof Logger) => (fields: LogFields, message: string) => {
    contain(
      (): unknown => logger[level](cleanFields(fields, redact), redactLine(message, redact)),
      // Nowhere is left to report it.
      () => {},
    );
  };
  return { info: forward('info'), warn: forward('warn'), error: forward('error') };
}

function cleanFields(fields: LogFields, redact: Redactor): LogFields {
  const clean: Record<string, unknown> = { ...(redactValue(fields, redact) as object) };
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Error) clean[name] = redactLine(errorText(value), redact);
  }
  // The one text whose lines are worth keeping; its end is the least of it.
  const { stack } = fields;
  if (typeof stack === 'string') clean['stack'] = redact(stack).slice(0, MAX_STACK);
  return clean;
}
