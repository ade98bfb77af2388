import { write } from 'node:fs';
import type { Clock } from '../../core/clock.js';

const STDERR = 2;
/** A pipe that somebody reads takes a line in less than one. */
const PATIENCE_MS = 20;

/**
 * Writes a line to standard error and calls `then`, soon in any case: the thread pool writes, so that a full pipe or a
 * dead file system blocks a thread of the pool and nobody else.
 */
export function sayLastWords(line: string, clock: Clock, then: () => void): void {
  clock.setTimeout(then, PATIENCE_MS, { keepsProcessAlive: true });
  try {
    write(STDERR, line, then);
  } catch {
    then();
  }
}
