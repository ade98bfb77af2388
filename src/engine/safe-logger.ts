import type { LogFields, Logger } from '../core/logger.js';

/** Wraps an application's logger so that a throw inside it reaches nothing of hale. */
export function createSafeLogger(logger: Logger): Logger {
  const contain =
    (level: keyof Logger) =>
    (fields: LogFields, message: string): void => {
      try {
        logger[level](fields, message);
      } catch {
        // There is nowhere left to report it to.
      }
    };
  return { info: contain('info'), warn: contain('warn'), error: contain('error') };
}
