import type { Board } from '../core/board.js';
import type { Clock, Timer } from '../core/clock.js';
import type { Logger } from '../core/logger.js';
import { errorText } from '../core/outcome.js';
import { advancePhase } from '../core/phase.js';
import type { StartupView } from '../core/probe-state.js';
import { type StartupEvent, beginStartup, nextStartup, startupView } from '../core/startup.js';
import { nameOption } from '../core/validate.js';
import type { Publisher } from './publisher.js';

/** One part of initialisation. */
export interface StartupTask {
  /** Start-up is complete once every task is done; idempotent. */
  done(): void;
  /** Logs the failure and leaves the task open: not ready with a reason, never a crash. `done()` may still follow. */
  fail(error: unknown): void;
}

export interface StartupTasks {
  /** Registers a task that start-up waits for. @throws OptionError on a bad name. */
  task(name: string): StartupTask;
  /** Declares start-up complete, whatever tasks are left. */
  started(): void;
  /** Starts the budget, and completes start-up if no task is registered by the end of this turn. */
  begin(): void;
  view(): StartupView;
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

class Tasks implements StartupTasks {
  readonly #options: StartupTasksOptions;
  readonly #timers = new Set<Timer>();
  #state;

  constructor(options: StartupTasksOptions) {
    this.#options = options;
    this.#state = beginStartup(options.clock.now());
  }

  task(name: string): StartupTask {
    nameOption('startupTask (a name)', name);
    const { logger, redact } = this.#options;
    if (this.view().complete) {
      const hint = 'register it before start(), or in the same turn in which start() resolves';
      logger.warn(
        { event: 'startup_task_late', task: name },
        `start-up was complete before task "${name}": ${hint}`,
      );
    }
    this.#apply({ kind: 'task_added', task: name });
    return {
      // In a later turn, so that a task registered right after this one was done still counts.
      done: () => this.#later(0, () => this.#apply({ kind: 'task_done', task: name })),
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

  dispose(): void {
    for (const timer of this.#timers) timer.clear();
    this.#timers.clear();
  }

  #spend(): void {
    this.#apply({ kind: 'budget_spent' });
    const { timedOut, remaining } = this.view();
    if (!timedOut) return;
    const { budgetMs, logger, onTimeout } = this.#options;
    const fields = { event: 'startup_timeout', budgetMs, remaining };
    logger.error(
      fields,
      `start-up is not complete after ${budgetMs} ms; unfinished: ${remaining.join(', ')}`,
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
