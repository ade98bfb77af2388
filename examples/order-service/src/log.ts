/** What the service logs through; the shape that hale and pino share. */
export interface Log {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** JSON lines on standard error; standard output belongs to the `ready` line. */
export function createLog(): Log {
  const line =
    (level: keyof Log) => (fields: Readonly<Record<string, unknown>>, message: string) => {
      const time = new Date().toISOString();
      process.stderr.write(`${JSON.stringify({ level, time, message, ...fields })}\n`);
    };
  return { info: line('info'), warn: line('warn'), error: line('error') };
}
