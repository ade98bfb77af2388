import type { Clock } from '../core/clock.js';
import { contain } from '../core/contain.js';
import { DRAIN_STEPS, type DrainStepName } from '../core/drain-plan.js';
import type { DrainProgress } from '../core/drain-progress.js';
import { createHistogram } from '../core/histogram.js';
import { METRICS } from '../core/metric-definitions.js';
import type { DrainStepState, DrainStepView, DrainView } from '../core/probe-state.js';
import { redactLine } from '../core/redact-value.js';
import type { Publisher } from './publisher.js';

export interface DrainRecordOptions {
  readonly publisher: Pick<Publisher, 'patch'>;
  readonly clock: Pick<Clock, 'now' | 'wallNow'>;
  /** What is still open is named by the program. */
  readonly redact: (text: string) => string;
  /** Everything that has not ended yet. */
  open(): readonly string[];
  /** Monotonic time of the deadline, which a crash moves. */
  deadlineAt(): number | undefined;
  onError(error: unknown, where: string): void;
  /** Told of the progress too. */
  next(progress: DrainProgress): void;
}

/** Publishes how the drain gets on: what has ended and how long it took, and what it waits for. */
export interface DrainRecord {
  tell(progress: DrainProgress): void;
  /** Publishes what it waits for if that has changed; called in each turn of the schedule. */
  look(): void;
}

/** Creates the record of a drain that has not begun. */
export function createDrainRecord(options: DrainRecordOptions): DrainRecord {
  return new StepRecord(options);
}

class StepRecord implements DrainRecord {
  readonly #options: DrainRecordOptions;
  readonly #steps = new Map<DrainStepName, DrainStepState>(
    DRAIN_STEPS.map((step) => [step, { step, state: 'waiting' }]),
  );
  #view: DrainView | undefined;
  #ended: readonly DrainStepView[] = [];

  constructor(options: DrainRecordOptions) {
    this.#options = options;
  }

  tell(progress: DrainProgress): void {
    contain(
      () => this.#note(progress),
      (error) => this.#options.onError(error, 'the record of the drain'),
    );
    this.#options.next(progress);
  }

  look(): void {
    const view = this.#view;
    if (view === undefined) return;
    contain(
      () => {
        if (this.#open().join('\n') !== view.open.join('\n')) this.#publish(view);
      },
      (error) => this.#options.onError(error, 'what the drain waits for'),
    );
  }

  #note(progress: DrainProgress): void {
    const { clock, publisher, redact } = this.#options;
    if (progress.kind === 'begin') {
      const reason = redactLine(progress.reason, redact);
      const deadlineAt = clock.now() + progress.deadlineMs;
      this.#view = { reason, since: clock.wallNow(), deadlineAt, steps: [], open: [] };
    } else if (progress.kind === 'step_begin') {
      this.#steps.set(progress.step, { step: progress.step, state: 'running' });
    } else if (progress.kind === 'step_end') {
      const { step, ended: state, durationMs } = progress;
      this.#steps.set(step, { step, state, durationMs: Math.round(durationMs) });
      this.#ended = [...this.#ended, { step, durations: oneDuration(durationMs) }];
      publisher.patch({ drainSteps: this.#ended });
    }
    if (this.#view !== undefined) this.#publish(this.#view);
  }

  #publish(view: DrainView): void {
    const { publisher, deadlineAt } = this.#options;
    this.#view = {
      ...view,
      deadlineAt: deadlineAt() ?? view.deadlineAt,
      steps: [...this.#steps.values()],
      open: this.#open(),
    };
    publisher.patch({ drain: this.#view });
  }

  /** Nothing but time ends the first step. */
  #open(): readonly string[] {
    const { open, redact } = this.#options;
    if (this.#steps.get('propagation')?.state === 'running') return [];
    return open().map((text) => redactLine(text, redact));
  }
}

function oneDuration(durationMs: number): DrainStepView['durations'] {
  const durations = createHistogram(METRICS.drainStepDuration.buckets);
  durations.record(durationMs / 1000);
  return durations.view();
}
