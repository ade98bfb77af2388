/** The shape of pino, winston and console that hale writes to: fields first, then the message. */
export interface Logger {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** A logger that drops everything. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} };
