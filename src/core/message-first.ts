import { contain } from './contain.js';
import type { Logger } from './logger.js';

/** A logger that takes the message first, such as winston and `console`. */
export interface MessageFirstLogger {
  info(message: string, fields: object): unknown;
  warn(message: string, fields: object): unknown;
  error(message: string, fields: object): unknown;
}

/** Lets a logger that takes the message first be the logger of `createHealth()`. */
export function messageFirst(logger: MessageFirstLogger): Logger {
  return {
    info: (fields, message) => logger.info(message, fields),
    warn: (fields, message) => logger.warn(message, fields),
    error: (fields, message) => logger.error(message, fields),
  };
}

/**
 * The caller's logger with the fields first. winston would take them for the whole entry and lose the message, and its
 * types do not tell, so it is recognised; the console is only easier to read the other way round.
 */
export function fieldsFirst(logger: Logger): Logger {
  return logger === globalThis.console || isWinston(logger)
    ? messageFirst(logger as unknown as MessageFirstLogger)
    : logger;
}

function isWinston(logger: object): boolean {
  let found = false;
  // Contained: it is the caller's object, and its properties may be anything.
  contain(
    () => {
      const { configure, transports, rejections } = logger as Record<string, unknown>;
      found =
        typeof configure === 'function' && transports !== undefined && rejections !== undefined;
    },
    () => {},
  );
  return found;
}
