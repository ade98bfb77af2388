import type { Clock } from './core/clock.js';
import type { Logger } from './core/logger.js';
import type { ResolvedOptions } from './core/resolve-options.js';
import { isTerminal, writeNow } from './engine/builtins.js';
import { type DrainTerminal, createDrainTerminal } from './engine/drain-terminal.js';
import { createJsonLogger } from './observe/json-logger.js';

const STDERR = 2;

/** For a person at a terminal; a program reads the log. */
export function drainTerminal(
  clock: Clock,
  { shutdown }: ResolvedOptions,
  open: () => readonly string[],
): DrainTerminal | undefined {
  if (!(shutdown.showProgress ?? isTerminal(STDERR))) return undefined;
  return createDrainTerminal({ clock, open, write: (line) => writeNow(STDERR, line) });
}

/** Synchronous, so that the last lines before an exit are not lost. */
export function stderrLogger(clock: Clock): Logger {
  return createJsonLogger({ clock, write: (line) => writeNow(STDERR, line) });
}
