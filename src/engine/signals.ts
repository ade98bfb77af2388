import type { Logger } from '../core/logger.js';
import { errorText } from '../core/error-text.js';
import type { Drain, DrainResult } from './drain.js';
import type { ProcessEvent, ProcessListener, ProcessPort } from './process-port.js';

export interface SignalsOptions {
  readonly process: ProcessPort;
  readonly drain: Pick<Drain, 'begin' | 'crash' | 'underWay'>;
  readonly logger: Logger & {
    /** Writes what is held back, before the process ends. */
    flush(): void;
  };
  readonly onUncaughtException: 'shutdown' | 'leave';
  readonly onUnhandledRejection: 'shutdown' | 'log' | 'leave';
  /** What has not ended yet, for the case that somebody else ends the process. */
  open(): readonly string[];
}

/** The signals that ask a process to end; Nomad and a terminal send the second (D1). */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Their numbers, the same on every POSIX system. */
const NUMBERS = { SIGTERM: 15, SIGINT: 2 } as const;

type Signal = (typeof SIGNALS)[number];

type Listening = [ProcessEvent, ProcessListener];

/**
 * Ends the process as its signals ask: the first drains, the second exits at once with 128 + n (D2). An uncaught
 * error drains with a short deadline and exits with 1 (D5). A process that has nothing left to do drains too. The
 * returned function takes every listener off again.
 */
export function handleSignals(options: SignalsOptions): () => void {
  const { process, onUncaughtException, onUnhandledRejection } = options;
  const ending = { byHale: false };
  const exits: ProcessPort = {
    ...process,
    exit(code) {
      ending.byHale = true;
      process.exit(code);
    },
  };
  const own = { ...options, process: exits };
  const listeners: Listening[] = [
    ...signalListeners(own),
    ['beforeExit', (code) => onIdle(own, Number(code))],
    ['exit', (code) => onExit(own, ending.byHale, code)],
  ];
  if (onUncaughtException !== 'leave')
    listeners.push(['uncaughtException', (error) => crash(own, 'uncaught_exception', error)]);
  if (onUnhandledRejection !== 'leave')
    listeners.push(['unhandledRejection', (error) => onRejection(own, error)]);
  for (const [event, listener] of listeners) process.on(event, listener);
  return () => {
    for (const [event, listener] of listeners) process.off(event, listener);
  };
}

/** The first signal, and how many listeners of others it had once all of them had been called. */
interface First {
  readonly signal: Signal;
  others: number;
}

function signalListeners(options: SignalsOptions): Listening[] {
  const { process, drain } = options;
  let first: First | undefined;
  const others = (signal: Signal): number => process.listenerCount(signal) - 1;
  return SIGNALS.map((signal) => [
    signal,
    () => {
      if (first === undefined) {
        const seen: First = { signal, others: others(signal) };
        first = seen;
        tellOthers(options, seen);
        // A listener for one call has left by then.
        queueMicrotask(() => (seen.others = others(signal)));
        exitAfter(process, drain.begin(signal));
      } else if (first.signal === signal && others(signal) < first.others) {
        first.others = others(signal);
        tellRaised(options, signal);
      } else exitAtOnce(options, signal);
    },
  ]);
}

function tellOthers({ logger }: SignalsOptions, { signal, others }: First): void {
  if (others === 0) return;
  logger.info(
    { event: 'other_signal_listeners', signal, others },
    `${others} more listener${others === 1 ? '' : 's'} for ${signal}, which may close servers before their time: give them to health.onShutdown() instead`,
  );
}

/**
 * A framework that has ended takes its listener off and raises the signal again, to let the process end by it
 * (Nest's shutdown hooks): nobody asked a second time.
 */
function tellRaised({ logger }: SignalsOptions, signal: Signal): void {
  logger.info(
    { event: 'signal_raised_again', signal },
    `${signal} raised again by a listener that has ended; the drain goes on`,
  );
}

function exitAtOnce({ process, logger }: SignalsOptions, signal: Signal): void {
  logger.warn({ event: 'second_signal', signal }, `second signal ${signal}: exiting at once`);
  process.exit(128 + NUMBERS[signal]);
}

/** Nothing keeps the process any more, so nobody is left to be told: hooks run, then it ends with its own code. */
function onIdle({ process, drain }: SignalsOptions, code: number): void {
  const drained = drain.begin('before_exit', 0);
  exitAfter(process, drained, code);
}

function onExit({ drain, logger, open }: SignalsOptions, byHale: boolean, code: unknown): void {
  // Whoever ends the process: a lost lease, a second signal, the program.
  logger.flush();
  if (byHale || !drain.underWay) return;
  const left = open();
  logger.error(
    { event: 'exit_during_drain', code, open: left },
    `process.exit(${String(code)}) was called during the drain, still open: ${left.join('; ')}`,
  );
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
  const stack = stackOf(error);
  const output = errorText(error);
  logger.error(
    { event: kind, output, ...(stack === undefined ? {} : { stack }) },
    `${kind}: ${output}`,
  );
}

/** Whatever was thrown may throw again when looked at, which in these listeners would end the process at once. */
function stackOf(error: unknown): string | undefined {
  try {
    return error instanceof Error ? error.stack : undefined;
  } catch {
    return undefined;
  }
}

/** Ends the process with the drain's exit code, or with `codeIfClean` after a clean one. */
export function exitAfter(
  process: Pick<ProcessPort, 'exit'>,
  drained: Promise<DrainResult>,
  codeIfClean = 0,
): void {
  void drained.then(({ exitCode }) => process.exit(exitCode === 0 ? codeIfClean : exitCode));
}
