import type { Board } from '../core/board.js';
import type { Clock, Timer } from '../core/clock.js';
import { OptionError } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import { errorText } from '../core/error-text.js';
import { advancePhase } from '../core/phase.js';
import type { StartupView } from '../core/probe-state.js';
import {
  type StartupEvent,
  beginStartup,
  nextStartup,
  startupView,
  unfinishedTasks,
} from '../core/startup.js';
import {
  durationOption,
  functionOption,
  nameOption,
  numberOption,
  objectOption,
  positiveOption,
} from '../core/validate.js';
import type { Publisher } from './publisher.js';

/** One part of initialisation. */
export interface StartupTask {
  /**
   * Says how far it is, from 0 to 1; it only grows. At the task's `enough` the task is done.
   * @throws OptionError on anything else.
   */
  progress(share: number): void;
  /** Start-up is complete once every task is done; idempotent. */
  done(): void;
  /** Logs the failure and leaves the task open: not ready with a reason, never a crash. `done()` may still follow. */
  fail(error: unknown): void;
}

/** Options of a start-up task. */
export interface StartupTaskOptions {
  /** Its share of the whole, relative to the other tasks. @defaultValue 1 */
  weight?: number;
  /** The progress from which readiness need not wait any longer: a cache that is warm enough (S5). @defaultValue 1 */
  enough?: number;
}

/** Options of `health.warmUp`. */
export interface WarmUpOptions extends Pick<StartupTaskOptions, 'weight'> {
  /** How much there is now: entries in a cache, connections in a pool. Over in-process state only. */
  current: () => number;
  /** How much is enough. */
  enough: number;
  /** Time between two looks. @defaultValue 250 */
  everyMs?: number;
}

export interface StartupTasks {
  /** Registers a task that start-up waits for. @throws OptionError on a bad name or option. */
  task(name: string, options?: StartupTaskOptions): StartupTask;
  /** Registers a task that is done once there is enough of something (S5). @throws OptionError on a bad option. */
  warmUp(name: string, options: WarmUpOptions): void;
  /** Declares start-up complete, whatever tasks are left. */
  started(): void;
  /** Starts the budget, and completes start-up if no task is registered by the end of this turn. */
  begin(): void;
  view(): StartupView;
  /** Resolves with `true` once start-up is complete, or with `false` when the time was up first. */
  untilComplete(withinMs: number): Promise<boolean>;
  dispose(): void;
}

export interface StartupTasksOptions {
  readonly clock: Clock;
  readonly board: Board;
  readonly publisher: Publisher;
  readonly logger: Logger;
  readonly redact: (text: string) => string;
  readonly budgetMs: number;
  /** Called when the budget is spent before start-up is complete, after it has been logged. */
  onTimeout(): void;
}

/** Creates start-up with no task and its clock running (S2, S6). */
export function createStartupTasks(options: StartupTasksOptions): StartupTasks {
  return new Tasks(options);
}

const WARM_UP_MS = 250;

class Tasks implements StartupTasks {
  readonly #options: StartupTasksOptions;
  readonly #timers = new Set<Timer>();
  #state;
  readonly #waiting = new Set<() => void>();

  constructor(options: StartupTasksOptions) {
    this.#options = options;
    this.#state = beginStartup(options.clock.now());
  }

  task(name: string, options: StartupTaskOptions = {}): StartupTask {
    const path = `startupTask.${String(name)}`;
    const { weight = 1, enough = 1 } = objectOption(path, options);
    this.#refuseTaken(nameOption('startupTask (a name)', name));
    positiveOption(`${path}.weight`, weight, 1e6);
    positiveOption(`${path}.enough`, enough, 1);
    const { logger, redact } = this.#options;
    if (this.view().complete) {
      const hint = 'register it before start(), or in the same turn in which start() resolves';
      logger.warn(
        { event: 'startup_task_late', task: name },
        `start-up was complete before task "${name}": ${hint}`,
      );
    }
    this.#apply({ kind: 'task_added', task: name, weight });
    // In a later turn, so that a task registered right after this one was done still counts.
    const done = (): void => this.#later(0, () => this.#apply({ kind: 'task_done', task: name }));
    return {
      done,
      progress: (share) => {
        const progress = numberOption(`${path}.progress`, share, { min: 0, max: 1 });
        this.#apply({ kind: 'task_progress', task: name, progress });
        if (progress >= enough) done();
      },
      fail: (error) => {
        const fields = {
          event: 'startup_task_failed',
          task: name,
          output: redact(errorText(error)),
        };
        logger.error(fields, `start-up task "${name}" failed`);
      },
    };
  }

  warmUp(name: string, options: WarmUpOptions): void {
    const path = `warmUp.${String(name)}`;
    const { current, enough, everyMs = WARM_UP_MS, weight = 1 } = objectOption(path, options);
    functionOption(`${path}.current`, current);
    positiveOption(`${path}.enough`, enough);
    durationOption(`${path}.everyMs`, everyMs, 10);
    const task = this.task(name, { weight });
    let failed = false;
    const look = (): void => {
      if (this.view().complete) return;
      const share = shareOf(current, enough);
      if (!(share instanceof Error)) task.progress(share);
      // Once: transitions are logged, not looks (O2).
      else if (!failed) task.fail(share);
      failed = share instanceof Error;
      // Ends with the task or, when it fails or never gets there, with the start-up budget's report.
      if (share !== 1) this.#later(everyMs, look);
    };
    look();
  }

  started(): void {
    this.#apply({ kind: 'declared' });
  }

  begin(): void {
    this.#later(0, () => {
      if (this.view().total === 0) this.#apply({ kind: 'declared' });
    });
    this.#later(this.#options.budgetMs, () => this.#spend());
  }

  view(): StartupView {
    return startupView(this.#state);
  }

  untilComplete(withinMs: number): Promise<boolean> {
    durationOption('untilStarted (its time)', withinMs, 0);
    if (this.view().complete) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (complete: boolean): void => {
        timer.clear();
        this.#waiting.delete(waiter);
        resolve(complete);
      };
      const waiter = (): void => end(true);
      const timer = this.#options.clock.setTimeout(() => end(false), withinMs);
      this.#waiting.add(waiter);
    });
  }

  dispose(): void {
    for (const timer of this.#timers) timer.clear();
    this.#timers.clear();
  }

  /** Of two tasks with one name the first to be done would complete both. */
  #refuseTaken(name: string): void {
    if (this.#state.tasks.has(name) && !this.view().complete)
      throw new OptionError('startupTask (a name)', 'a name that no other task has', name);
  }

  #spend(): void {
    this.#apply({ kind: 'budget_spent' });
    const { timedOut, remaining, percent } = this.view();
    if (!timedOut) return;
    const { budgetMs, logger, onTimeout } = this.#options;
    const fields = { event: 'startup_timeout', budgetMs, remaining, percent };
    const unfinished = unfinishedTasks(this.#state).join(', ');
    logger.error(
      fields,
      `start-up is not complete after ${budgetMs} ms; unfinished: ${unfinished}`,
    );
    onTimeout();
  }

  #apply(event: StartupEvent): void {
    const { clock, board, publisher, logger } = this.#options;
    const wasComplete = this.view().complete;
    this.#state = nextStartup(this.#state, event, clock.now());
    const view = this.view();
    publisher.patch({ startup: view });
    if (!view.complete || wasComplete) return;
    this.dispose();
    board.setPhase(advancePhase(board.phase(), 'running'));
    publisher.flush();
    for (const waiter of [...this.#waiting]) waiter();
    const durationMs = Math.round(view.durationMs ?? 0);
    logger.info({ event: 'started', durationMs, tasks: view.total }, `started in ${durationMs} ms`);
  }

  #later(delayMs: number, callback: () => void): void {
    const timer = this.#options.clock.setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, delayMs);
    this.#timers.add(timer);
  }
}

/** The share reached, from 0 to 1, or what `current` threw. */
function shareOf(current: () => number, enough: number): number | Error {
  try {
    const amount = current();
    return Number.isFinite(amount) ? Math.min(1, Math.max(0, amount / enough)) : 0;
  } catch (error) {
    return error instanceof Error ? error : new Error(errorText(error));
  }
}
