import { writeSync } from 'node:fs';
import type { Clock } from '../core/clock.js';

/** Writes one line of JSON, at once. */
export type DirectLog = (
  level: 'info' | 'warn' | 'error',
  event: string,
  fields: Readonly<Record<string, unknown>>,
  message: string,
) => void;

const STDERR = 2;
const ATTEMPTS = 5;

/**
 * Creates a log straight to standard error: a worker's `console.log` travels through the main thread and would
 * appear only after the stall it is about.
 */
export function createStderrLog(
  clock: Pick<Clock, 'wallNow'>,
  redact: (text: string) => string,
): DirectLog {
  return (level, event, fields, message) => {
    const line = { level, time: clock.wallNow(), name: 'hale', event, ...fields, msg: message };
    writeWhole(
      `${JSON.stringify(line, (_key, value: unknown) => (typeof value === 'string' ? redact(value) : value))}\n`,
    );
  };
}

function writeWhole(text: string): void {
  let rest = Buffer.from(text);
  for (let attempt = 0; attempt < ATTEMPTS && rest.length > 0; attempt += 1) {
    try {
      rest = rest.subarray(writeSync(STDERR, rest));
    } catch (error) {
      // A full pipe may drain; a closed one will not, and a lost log line must not stop the probes.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
  }
}
