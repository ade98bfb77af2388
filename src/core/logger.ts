/**
 * What hale writes to: fields first, then the message, as pino takes them. winston and `console` are recognised and given the
 * message first; for another logger like them there is `messageFirst()`.
 */
export interface Logger {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** A logger that drops everything. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} };
