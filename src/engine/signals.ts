import { constants } from 'node:os';
import type { Logger } from '../core/logger.js';
import { errorText } from '../core/outcome.js';
import type { Drain, DrainResult } from './drain.js';
import type { ProcessEvent, ProcessListener, ProcessPort } from './process-port.js';

export interface SignalsOptions {
  readonly process: ProcessPort;
  readonly drain: Pick<Drain, 'begin' | 'crash'>;
  readonly logger: Logger;
  readonly onUnhandledRejection: 'shutdown' | 'log';
}

/** The signals that ask a process to end; Nomad and a terminal send the second (D1). */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ends the process as its signals ask: the first drains, the second exits at once with 128 + n (D2). An uncaught
 * error drains with a short deadline and exits with 1 (D5). The returned function takes every listener off again.
 */
export function handleSignals(options: SignalsOptions): () => void {
  const { process } = options;
  const listeners: [ProcessEvent, ProcessListener][] = [
    ...signalListeners(options),
    ['uncaughtException', (error) => crash(options, 'uncaught_exception', error)],
    ['unhandledRejection', (error) => onRejection(options, error)],
  ];
  for (const [event, listener] of listeners) process.on(event, listener);
  return () => {
    for (const [event, listener] of listeners) process.off(event, listener);
  };
}

function signalListeners(options: SignalsOptions): [ProcessEvent, ProcessListener][] {
  const { process, drain, logger } = options;
  let seen = false;
  return SIGNALS.map((signal) => [
    signal,
    () => {
      if (seen) {
        logger.warn({ event: 'second_signal', signal }, `second signal ${signal}: exiting at once`);
        process.exit(128 + constants.signals[signal]);
        return;
      }
      seen = true;
      exitAfter(process, drain.begin(signal));
    },
  ]);
}

function onRejection(options: SignalsOptions, error: unknown): void {
  if (options.onUnhandledRejection === 'shutdown') crash(options, 'unhandled_rejection', error);
  else logCrash(options.logger, 'unhandled_rejection', error);
}

function crash({ process, drain, logger }: SignalsOptions, kind: string, error: unknown): void {
  logCrash(logger, kind, error);
  exitAfter(process, drain.crash(kind));
}

function logCrash(logger: Logger, kind: string, error: unknown): void {
  const stack = error instanceof Error ? error.stack : undefined;
  const output = errorText(error);
  logger.error(
    { event: kind, output, ...(stack === undefined ? {} : { stack }) },
    `${kind}: ${output}`,
  );
}

/** Ends the process with the drain's exit code. */
export function exitAfter(process: Pick<ProcessPort, 'exit'>, drained: Promise<DrainResult>): void {
  void drained.then(({ exitCode }) => process.exit(exitCode));
}
