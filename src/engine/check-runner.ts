import type { CheckRun } from '../core/check.js';
import type { Clock } from '../core/clock.js';
import { createContainedAbort } from '../core/contained-abort.js';
import { DEFAULTS } from '../core/defaults.js';
import { HaleError } from '../core/errors.js';
import {
  type Outcome,
  type RunTime,
  outcomeFromError,
  outcomeFromResult,
} from '../core/outcome.js';

export interface CheckRunnerOptions {
  readonly name: string;
  readonly run: CheckRun;
  /** A run that takes longer fails, whether or not it heeds its signal. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  /** What a listener of a run's signal throws. @defaultValue dropped: the run has failed already */
  readonly onAbortError?: (error: unknown) => void;
}

/** Runs one check so that nothing it does can reach anything else (C2, C4). */
export interface CheckRunner {
  /** Runs given up at their timeout so far. */
  readonly abandoned: number;
  /** Abandoned runs that have not ended yet. */
  readonly hanging: number;
  /** Never rejects, and resolves within `timeoutMs`. */
  run(): Promise<Outcome>;
  /** Aborts what is running; its promise resolves at once. Idempotent. */
  dispose(): void;
}

interface Counters {
  abandoned: number;
  hanging: number;
}

/** One run under way: `end` is called by whichever comes first, result, timeout or disposal. */
interface Flight {
  readonly startedAt: number;
  readonly controller: AbortController;
  end(outcome: Outcome): void;
  state: 'running' | 'ended' | 'hanging';
}

/** Creates the runner of one check. */
export function createCheckRunner(options: CheckRunnerOptions): CheckRunner {
  const counters: Counters = { abandoned: 0, hanging: 0 };
  const flights = new Set<Flight>();
  return {
    get abandoned() {
      return counters.abandoned;
    },
    get hanging() {
      return counters.hanging;
    },
    run() {
      if (counters.hanging >= DEFAULTS.maxHanging) return Promise.resolve(hungOutcome(options));
      return launch(options, counters, flights);
    },
    dispose() {
      for (const flight of flights) {
        const error = new HaleError('HALE_DISPOSED', `check "${options.name}" was removed`);
        flight.end(failed(options, flight.startedAt, error));
        flight.controller.abort(error);
      }
    },
  };
}

function launch(
  options: CheckRunnerOptions,
  counters: Counters,
  flights: Set<Flight>,
): Promise<Outcome> {
  const { clock, run, timeoutMs, onAbortError = () => {} } = options;
  return new Promise<Outcome>((resolve) => {
    const flight: Flight = {
      startedAt: clock.now(),
      controller: createContainedAbort(onAbortError),
      state: 'running',
      end(outcome) {
        if (flight.state !== 'running') return;
        flight.state = 'ended';
        timer.clear();
        flights.delete(flight);
        resolve(outcome);
      },
    };
    const timer = clock.setTimeout(() => giveUp(options, counters, flight), timeoutMs);
    flights.add(flight);
    // The executor turns a synchronous throw, and a thenable that throws, into a rejection.
    new Promise((settle) => {
      settle(run(flight.controller.signal));
    }).then(
      (result) => land(counters, flight, () => succeeded(options, flight.startedAt, result)),
      (error: unknown) => land(counters, flight, () => failed(options, flight.startedAt, error)),
    );
  });
}

/** A run has settled by itself; one that was given up before is only counted back, its result dropped. */
function land(counters: Counters, flight: Flight, outcome: () => Outcome): void {
  if (flight.state === 'hanging') counters.hanging -= 1;
  else flight.end(outcome());
}

function giveUp(options: CheckRunnerOptions, counters: Counters, flight: Flight): void {
  const { name, timeoutMs } = options;
  const error = new HaleError(
    'HALE_CHECK_TIMEOUT',
    `check "${name}" gave no result within ${timeoutMs} ms`,
  );
  flight.end(failed(options, flight.startedAt, error));
  flight.state = 'hanging';
  counters.abandoned += 1;
  counters.hanging += 1;
  // Last, because the check's abort listeners run inside this call.
  flight.controller.abort(error);
}

function hungOutcome(options: CheckRunnerOptions): Outcome {
  const message = `check "${options.name}" was not started: ${DEFAULTS.maxHanging} earlier runs have not ended yet`;
  return failed(options, options.clock.now(), new HaleError('HALE_CHECK_HUNG', message));
}

function succeeded(options: CheckRunnerOptions, startedAt: number, result: unknown): Outcome {
  try {
    return outcomeFromResult(result, timeOf(options.clock, startedAt), options.redact);
  } catch (error) {
    return failed(options, startedAt, error);
  }
}

function failed(options: CheckRunnerOptions, startedAt: number, error: unknown): Outcome {
  const time = timeOf(options.clock, startedAt);
  try {
    return outcomeFromError(error, time, options.redact);
  } catch {
    // A getter on the thrown object threw in turn; the check has failed all the same.
    return { status: 'fail', code: 'error', output: 'threw an error that cannot be read', ...time };
  }
}

function timeOf(clock: Clock, startedAt: number): RunTime {
  const at = clock.now();
  return { at, wallAt: clock.wallNow(), durationMs: at - startedAt };
}
