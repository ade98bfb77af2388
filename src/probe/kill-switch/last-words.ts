import { access, closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import type { Clock } from '../../core/clock.js';

const STDERR = 2;
/** A file, or a socket that somebody reads, takes a line in less than one; a busy machine may take this. */
const PATIENCE_MS = 50;

/** Writes a line and calls `then`, soon in any case: nobody who does not read may keep this process alive. */
export type LastWords = (line: string, then: () => void) => void;

/** Prepares to write to standard error. */
export function prepareLastWords(clock: Clock): LastWords {
  // Starts the threads of the pool, which would take longest of all.
  access('/', () => {});
  return (line, then) => {
    if (writeWithoutWaiting(line)) then();
    else writeByPool(line, clock, then);
  };
}

/**
 * Opened anew, a pipe or a terminal can be written to without waiting, and without changing how others who have it open
 * write to it. Returns whether standard error is one.
 */
function writeWithoutWaiting(line: string): boolean {
  try {
    const stat = fstatSync(STDERR);
    if (!stat.isFIFO() && !stat.isCharacterDevice()) return false;
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    const own = openSync(`/proc/self/fd/${STDERR}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    try {
      writeSync(own, line);
    } finally {
      closeSync(own);
    }
    return true;
  } catch (error) {
    // A full pipe; anything else may go better otherwise.
    return (error as { code?: unknown }).code === 'EAGAIN';
  }
}

/** The thread pool writes: a socket that is full, or a file system that is gone, blocks a thread of it and nobody else. */
function writeByPool(line: string, clock: Clock, then: () => void): void {
  clock.setTimeout(then, PATIENCE_MS, { keepsProcessAlive: true });
  try {
    write(STDERR, line, then);
  } catch {
    then();
  }
}
