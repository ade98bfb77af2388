import type { Clock } from '../core/clock.js';
import { isoTime } from '../core/iso-time.js';
import type { LogFields, Logger } from '../core/logger.js';

/** How lines are written and told apart. */
export interface JsonLoggerOptions {
  clock: Clock;
  /** Receives one complete line, newline included; must not throw. */
  write(line: string): void;
}

/** A logger that writes one JSON object a line: level, ISO 8601 time, message, then the fields. */
export function createJsonLogger({ clock, write }: JsonLoggerOptions): Logger {
  const log = (level: string) => (fields: LogFields, message: string) => {
    const time = isoTime(clock.wallNow());
    write(`${stringify({ level, time, name: 'hale', msg: message, ...fields })}\n`);
  };
  return { info: log('info'), warn: log('warn'), error: log('error') };
}

function stringify(line: object): string {
  try {
    return JSON.stringify(line, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value instanceof Error ? value.message : value,
    );
  } catch {
    // A cyclic field must not cost the message.
    const { level, time, name, msg } = line as Record<string, unknown>;
    return JSON.stringify({ level, time, name, msg, fields: 'could not be rendered' });
  }
}
