import type { Board } from '../core/board.js';
import type { Clock, Random } from '../core/clock.js';
import { contain } from '../core/contain.js';
import { DEFAULTS } from '../core/defaults.js';
import { HaleError, OptionError } from '../core/errors.js';
import type { LogFields, Logger } from '../core/logger.js';
import type { CheckView } from '../core/probe-state.js';
import type { ResolvedCheck } from '../core/resolve-check.js';
import { firstDelayMs, nextDelayMs } from '../core/schedule.js';
import { settlesWithin } from './bounded.js';
import type { Limiter } from './limiter.js';
import { logTransition } from './log-transition.js';
import {
  type CheckTransition,
  type MonitoredCheck,
  createMonitoredCheck,
} from './monitored-check.js';
import { type OnDemand, createOnDemand } from './on-demand.js';
import type { Publisher } from './publisher.js';
import { type Job, type Scheduler, createScheduler } from './scheduler.js';

/** How long a check may take to release what it holds. */
const DISPOSE_LIMIT_MS = 1000;

export interface CheckRegistryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly board: Board;
  readonly publisher: Publisher;
  readonly limiter: Limiter;
  readonly logger: Logger;
  readonly redact: (text: string) => string;
  /** Time between calls of `beat()`, milliseconds. @defaultValue 0, nobody calls it */
  readonly beatMs?: number;
  /** Without it there is no schedule: only `evaluate()` runs checks. @defaultValue true */
  readonly background?: boolean;
  /** What a log line about a transition tells beside it. @defaultValue nothing */
  context?(): LogFields;
  onTransition?(transition: CheckTransition): void;
  /** Called in each turn of the schedule, after the board has been marked. */
  onTurn?(): void;
  /** An error in hale's own code, or in a callback it was given; contained. */
  onError(error: unknown, where: string): void;
}

/** All checks of a process, each on its own schedule or on demand. */
export interface CheckRegistry {
  /**
   * @throws HaleError `HALE_CHECK_EXISTS`.
   * @throws OptionError on a background check where nothing runs in the background.
   */
  add(check: ResolvedCheck): void;
  /**
   * Resolves once the check has released what it held; a run under way is aborted and its outcome dropped.
   * @throws HaleError `HALE_CHECK_UNKNOWN`.
   */
  remove(name: string): Promise<void>;
  /** Starts the background schedule. */
  start(): void;
  /** The main loop beats: checks that are due about now run. */
  beat(): void;
  /** Brings every on-demand check up to date and publishes it; never rejects. */
  evaluate(): Promise<void>;
  views(): readonly CheckView[];
  /** Stops everything; never rejects, idempotent. */
  dispose(): Promise<void>;
}

interface Entry {
  readonly check: ResolvedCheck;
  readonly monitored: MonitoredCheck;
  readonly onDemand: OnDemand;
  removed: boolean;
  unschedule(): void;
}

/** Creates an empty registry; nothing runs before `start()` or `evaluate()`. */
export function createCheckRegistry(options: CheckRegistryOptions): CheckRegistry {
  return new Registry(options);
}

class Registry implements CheckRegistry {
  readonly #options: CheckRegistryOptions;
  readonly #scheduler: Scheduler;
  readonly #entries = new Map<string, Entry>();
  readonly #background: boolean;
  #started = false;
  /** How many are on demand: asking each at each addition makes thousands of them slow. */
  #onDemand = 0;

  constructor(options: CheckRegistryOptions) {
    const { clock, beatMs = 0, onError } = options;
    this.#options = options;
    this.#background = options.background ?? true;
    this.#scheduler = createScheduler({
      clock,
      beatMs,
      onTurn: (now) => this.#mark(now),
      onError: (error, job) =>
        onError(error, job === undefined ? 'the scheduler' : `check "${job}"`),
    });
  }

  add(check: ResolvedCheck): void {
    if (this.#entries.has(check.name)) {
      throw new HaleError('HALE_CHECK_EXISTS', `a check named "${check.name}" exists already`);
    }
    if (check.mode === 'background' && !this.#background)
      throw new OptionError(
        `checks.${check.name}.mode`,
        '"on-demand" with background: false',
        check.mode,
      );
    const entry = createEntry(this.#options, check);
    this.#entries.set(check.name, entry);
    if (check.mode === 'on-demand') this.#onDemand += 1;
    this.#publishMode();
    this.#options.publisher.touch(check.name, entry.monitored.view);
    if (this.#started) this.#begin(entry);
  }

  async remove(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry === undefined)
      throw new HaleError('HALE_CHECK_UNKNOWN', `no check is named "${name}"`);
    this.#entries.delete(name);
    if (entry.check.mode === 'on-demand') this.#onDemand -= 1;
    this.#options.publisher.remove(name);
    this.#publishMode();
    await retire(this.#options, entry);
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#publishMode();
    for (const entry of this.#entries.values()) this.#begin(entry);
    if (this.#background) this.#scheduler.start();
    else this.#mark(this.#options.clock.now());
  }

  beat(): void {
    this.#scheduler.beat();
  }

  async evaluate(): Promise<void> {
    const due = [...this.#entries.values()].filter(({ check }) => check.mode === 'on-demand');
    await Promise.allSettled(due.map(({ onDemand }) => onDemand.evaluate()));
    if (!this.#background) this.#mark(this.#options.clock.now());
    this.#options.publisher.flush();
  }

  views(): readonly CheckView[] {
    return Array.from(this.#entries.values(), ({ monitored }) => monitored.view());
  }

  async dispose(): Promise<void> {
    this.#scheduler.dispose();
    const leaving = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(leaving.map((entry) => retire(this.#options, entry)));
  }

  /** The engine has looked at its checks: what it knows is not stale (R3). */
  #mark(now: number): void {
    this.#options.board.setEvaluatedAt(now);
    this.#options.onTurn?.();
  }

  /** Whether a readiness probe must ask for an evaluation first; without a schedule nothing else makes one. */
  #publishMode(): void {
    this.#options.publisher.patch({ onDemand: this.#onDemand > 0 || !this.#background });
  }

  #begin(entry: Entry): void {
    const { clock, random, logger, onError } = this.#options;
    const { check, monitored } = entry;
    // The check runs all the same: what it could not start, its runs will report.
    contain(
      () => check.start?.({ clock, logger }),
      (error) => onError(error, `start of check "${check.name}"`),
    );
    if (check.mode === 'on-demand') return;
    const { name, intervalMs } = check;
    const { recheckMs } = DEFAULTS;
    const job: Job = {
      name,
      run: async () => void (await perform(this.#options, entry)),
      nextDelayMs: () => nextDelayMs({ settled: monitored.settled, intervalMs, recheckMs, random }),
    };
    entry.unschedule = this.#scheduler.add(job, firstDelayMs(DEFAULTS.firstDelayMs, random));
  }
}

function createEntry(options: CheckRegistryOptions, check: ResolvedCheck): Entry {
  const { clock, redact, onError } = options;
  const entry: Entry = {
    check,
    monitored: createMonitoredCheck({
      check,
      clock,
      redact,
      onAbortError: (error) => onError(error, `an abort listener of check "${check.name}"`),
    }),
    onDemand: createOnDemand({ clock, run: () => perform(options, entry) }),
    removed: false,
    unschedule() {},
  };
  return entry;
}

async function retire({ clock, onError }: CheckRegistryOptions, entry: Entry): Promise<void> {
  const { check } = entry;
  entry.removed = true;
  entry.unschedule();
  entry.monitored.dispose();
  if (check.dispose === undefined) return;
  try {
    const ended = await settlesWithin(clock, DISPOSE_LIMIT_MS, () => check.dispose?.());
    if (!ended)
      onError(new HaleError('HALE_CHECK_TIMEOUT', 'it hangs'), `dispose of check "${check.name}"`);
  } catch (error) {
    onError(error, `dispose of check "${check.name}"`);
  }
}

/** One run, its outcome published; resolves with how long an on-demand result may be served. */
async function perform(options: CheckRegistryOptions, entry: Entry): Promise<number> {
  const { check, monitored } = entry;
  const done = await options.limiter.run(async () =>
    entry.removed ? undefined : monitored.perform(),
  );
  if (done === undefined || entry.removed) return 0;
  options.publisher.touch(check.name, monitored.view);
  if (done.transition !== undefined) tell(options, done.transition);
  const good = done.outcome.status !== 'fail' && monitored.settled;
  return good ? check.ttlMs : Math.min(check.failureTtlMs, check.ttlMs);
}

function tell(
  { logger, context, onTransition, onError }: CheckRegistryOptions,
  transition: CheckTransition,
): void {
  try {
    logTransition(logger, transition, context?.());
    onTransition?.(transition);
  } catch (error) {
    onError(error, `a listener to check "${transition.check}"`);
  }
}
