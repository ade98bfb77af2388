import type { Board } from '../core/board.js';
import type { Clock, Timer } from '../core/clock.js';
import {
  DRAIN_STEPS,
  type DrainPlan,
  type DrainStepName,
  type StepReport,
  drainExitCode,
  hurryPlan,
  planDrain,
  stepEndsAt,
} from '../core/drain-plan.js';
import type { DrainProgress } from '../core/drain-progress.js';
import type { Logger } from '../core/logger.js';
import { errorText } from '../core/error-text.js';
import { advancePhase } from '../core/phase.js';
import { settlesWithin } from './bounded.js';

/** What one step of the drain does. */
export interface DrainStep {
  /** Resolves once there is nothing left to wait for; the signal aborts when its time is up, in `limitMs`. */
  run(signal: AbortSignal, limitMs: number): Promise<void>;
  /** What has not ended, or what failed, for the log. */
  open(): readonly string[];
  /** Ends by force what is open; waited for only briefly. */
  cut(): void | Promise<void>;
}

export interface DrainOptions {
  readonly clock: Clock;
  readonly board: Board;
  readonly logger: Logger;
  /** Asked when the drain begins. */
  propagationDelayMs(): number;
  readonly deadlineMs: number;
  readonly crashDeadlineMs: number;
  /** Whether hooks are registered that need a share of the time. */
  hasHooks(): boolean;
  /** Called at once, in the same turn in which the board says `draining`. */
  onBegin(): void;
  /** Called as it gets on. */
  onProgress?(progress: DrainProgress): void;
  readonly steps: Readonly<Record<Exclude<DrainStepName, 'propagation'>, DrainStep>>;
}

export interface DrainResult {
  readonly reason: string;
  /** 0 after a clean drain, 1 when something was cut, failed or had crashed (D6). */
  readonly exitCode: 0 | 1;
  readonly durationMs: number;
  readonly steps: readonly StepReport[];
}

/** The way out: one sequence, one deadline (D1, D2). */
export interface Drain {
  /**
   * Begins the drain, or returns the one under way; never rejects. Readiness fails before it returns.
   * `propagationDelayMs` overrides the one of the options.
   */
  begin(reason: string, propagationDelayMs?: number): Promise<DrainResult>;
  /** Whether it has begun and not yet ended. */
  readonly underWay: boolean;
  /** Begins it after a crash, without propagation delay, or shortens the one under way; the exit code is 1. */
  crash(reason: string): Promise<DrainResult>;
  /** Monotonic time of the deadline; `undefined` before the drain has begun. */
  deadlineAt(): number | undefined;
}

/** Creates a drain that has not begun. */
export function createDrain(options: DrainOptions): Drain {
  return new Coordinator(options);
}

type End = StepReport['ended'];

/** What a cut sends leaves within this, or never. */
const CUT_WITHIN_MS = 100;

class Coordinator implements Drain {
  readonly #options: DrainOptions;
  #running: Promise<DrainResult> | undefined;
  #plan: DrainPlan | undefined;
  #crashed = false;
  #ended = false;
  /** Sets the timer of the step under way again, after the plan has changed. */
  #rearm: (() => void) | undefined;

  constructor(options: DrainOptions) {
    this.#options = options;
  }

  get underWay(): boolean {
    return this.#running !== undefined && !this.#ended;
  }

  begin(reason: string, propagationDelayMs?: number): Promise<DrainResult> {
    const { deadlineMs } = this.#options;
    const delayMs = propagationDelayMs ?? this.#options.propagationDelayMs();
    return this.#once(() => this.#drain(reason, delayMs, deadlineMs));
  }

  crash(reason: string): Promise<DrainResult> {
    const { clock, crashDeadlineMs } = this.#options;
    this.#crashed = true;
    if (this.#plan !== undefined) {
      this.#plan = hurryPlan(this.#plan, clock.now(), crashDeadlineMs);
      this.#rearm?.();
    }
    return this.#once(() => this.#drain(reason, 0, crashDeadlineMs));
  }

  deadlineAt(): number | undefined {
    return this.#plan?.deadlineAt;
  }

  /** Known to be running before its first step: whoever is told of the beginning may ask for a drain in turn. */
  #once(drain: () => Promise<DrainResult>): Promise<DrainResult> {
    if (this.#running !== undefined) return this.#running;
    let settle: (result: Promise<DrainResult>) => void = () => {};
    this.#running = new Promise((resolve) => (settle = resolve));
    settle(drain());
    return this.#running;
  }

  async #drain(reason: string, askedDelayMs: number, deadlineMs: number): Promise<DrainResult> {
    const { clock, board, logger, hasHooks, onBegin } = this.#options;
    const startedAt = clock.now();
    // The first effect of a stop, whatever comes after it.
    board.setPhase(advancePhase(board.phase(), 'draining'));
    this.#contain('its beginning', onBegin);
    this.#plan = planDrain({
      startedAt,
      propagationDelayMs: askedDelayMs,
      deadlineMs,
      hasHooks: hasHooks(),
    });
    const propagationDelayMs = this.#plan.propagationEndsAt - startedAt;
    const inFlight = board.inFlight();
    logger.info(
      { event: 'drain_begin', reason, propagationDelayMs, deadlineMs, inFlight },
      `draining: ${reason}`,
    );
    this.#tell({ kind: 'begin', reason, propagationDelayMs, deadlineMs, inFlight });
    const steps: StepReport[] = [];
    for (const step of DRAIN_STEPS) steps.push(await this.#step(step, this.#plan));
    board.setPhase('stopped');
    this.#ended = true;
    return this.#finish({ reason, steps, startedAt });
  }

  async #step(step: DrainStepName, plan: DrainPlan): Promise<StepReport> {
    const { clock, steps } = this.#options;
    const startedAt = clock.now();
    this.#tell({ kind: 'step_begin', step, limitMs: stepEndsAt(plan, step) - startedAt });
    if (step === 'propagation') {
      if (plan.propagationEndsAt > startedAt) await this.#within(step, () => new Promise(() => {}));
      return this.#report({ step, ended: 'done', durationMs: clock.now() - startedAt, open: [] });
    }
    const work = steps[step];
    const ended = await this.#within(step, (signal, limitMs) => work.run(signal, limitMs));
    const left = ended === 'done' ? [] : this.#openOf(step, work);
    if (ended === 'cut') await this.#cut(step, work);
    return this.#report({ step, ended, durationMs: clock.now() - startedAt, open: left });
  }

  /** Runs until the step's time is up. Its timer keeps the process alive: a drain is not over because nothing else runs. */
  #within(step: DrainStepName, run: DrainStep['run']): Promise<End> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const controller = new AbortController();
      let timer: Timer | undefined;
      const end = (how: End): void => {
        timer?.clear();
        this.#rearm = undefined;
        resolve(how);
        if (how === 'cut') controller.abort();
      };
      const leftMs = (): number =>
        this.#plan === undefined ? 0 : Math.max(0, stepEndsAt(this.#plan, step) - clock.now());
      this.#rearm = () => {
        timer?.clear();
        timer = clock.setTimeout(() => end('cut'), leftMs(), { keepsProcessAlive: true });
      };
      this.#rearm();
      run(controller.signal, leftMs()).then(
        () => end('done'),
        (error: unknown) => {
          this.#failed(step, error);
          end('failed');
        },
      );
    });
  }

  #openOf(step: DrainStepName, work: DrainStep): readonly string[] {
    let left: readonly string[] = [];
    this.#contain(step, () => (left = work.open()));
    return left;
  }

  async #cut(step: DrainStepName, work: DrainStep): Promise<void> {
    const options = { keepsProcessAlive: true };
    await settlesWithin(this.#options.clock, CUT_WITHIN_MS, () => work.cut(), options).catch(
      (error: unknown) => this.#failed(step, error),
    );
  }

  /** Nothing may keep a process that was told to stop. */
  #contain(where: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#failed(where, error);
    }
  }

  #failed(where: string, error: unknown): void {
    const fields = { event: 'drain_step_failed', step: where, output: errorText(error) };
    this.#options.logger.error(fields, `drain: ${where} failed`);
  }

  #report(report: StepReport): StepReport {
    const { step, ended, durationMs, open } = report;
    const fields = { event: 'drain_step', step, ended, durationMs: Math.round(durationMs) };
    const { logger } = this.#options;
    if (ended === 'cut')
      logger.warn({ ...fields, open }, `drain: ${step} cut, still open: ${open.join('; ')}`);
    else logger.info(fields, `drain: ${step} ${ended}`);
    this.#tell({ kind: 'step_end', ...report });
    return report;
  }

  #tell(progress: DrainProgress): void {
    this.#contain('telling its progress', () => this.#options.onProgress?.(progress));
  }

  #finish({
    reason,
    steps,
    startedAt,
  }: {
    reason: string;
    steps: StepReport[];
    startedAt: number;
  }): DrainResult {
    const { clock, logger } = this.#options;
    const exitCode = drainExitCode(steps, this.#crashed);
    const durationMs = clock.now() - startedAt;
    const fields = { event: 'drain_end', reason, exitCode, durationMs: Math.round(durationMs) };
    if (exitCode === 0) logger.info(fields, `drained in ${Math.round(durationMs)} ms`);
    else logger.error(fields, `drained with exit code ${exitCode} in ${Math.round(durationMs)} ms`);
    this.#tell({ kind: 'end', reason, exitCode, durationMs });
    return { reason, exitCode, durationMs, steps };
  }
}
