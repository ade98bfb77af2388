import { writeSync } from 'node:fs';
import type { Clock } from '../core/clock.js';
import { isoTime } from '../core/iso-time.js';
import { writeWhole } from '../core/write-whole.js';

/** Writes one line of JSON, at once. */
export type DirectLog = (
  level: 'info' | 'warn' | 'error',
  event: string,
  fields: Readonly<Record<string, unknown>>,
  message: string,
) => void;

const STDERR = 2;

/**
 * Creates a log straight to standard error: a worker's `console.log` travels through the main thread and would
 * appear only after the stall it is about.
 */
export function createStderrLog(
  clock: Pick<Clock, 'wallNow'>,
  redact: (text: string) => string,
): DirectLog {
  return (level, event, fields, message) => {
    const time = isoTime(clock.wallNow());
    const line = { level, time, name: 'hale', event, ...fields, msg: message };
    const clean = (_key: string, value: unknown): unknown =>
      typeof value === 'string' ? redact(value) : value;
    writeWhole((bytes) => writeSync(STDERR, bytes), `${JSON.stringify(line, clean)}\n`);
  };
}
