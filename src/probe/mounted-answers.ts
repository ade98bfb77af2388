import { type AnswerCounts, answersSince } from '../core/answering-figures.js';
import type { Clock, Timer } from '../core/clock.js';

export interface MountedAnswersOptions {
  readonly clock: Pick<Clock, 'setTimeout'>;
  read(): AnswerCounts;
  publish(counts: AnswerCounts): void;
}

/** Tells the probe thread what was answered beside it. */
export interface MountedAnswers {
  /** A probe was answered. */
  note(): void;
  /**
   * The probe thread has ended, and the counters of the next one begin at 0: what was told before is not told once more, or
   * `rate()` would take it for a burst of probes.
   */
  countAnew(): void;
  /** Nothing is told from now on. */
  close(): void;
}

/** A scrape every few seconds need not know better. */
const PUBLISH_MS = 1000;

/** Creates it idle: the first answer after the last telling plans the next, so that a flood makes one message a second. */
export function createMountedAnswers(options: MountedAnswersOptions): MountedAnswers {
  const { clock, read, publish } = options;
  let timer: Timer | undefined;
  let closed = false;
  let told: AnswerCounts | undefined;
  let before: AnswerCounts | undefined;

  function tell(counts: AnswerCounts): void {
    told = counts;
    publish(before === undefined ? counts : answersSince(counts, before));
  }

  return {
    note() {
      if (closed) return;
      timer ??= clock.setTimeout(() => {
        timer = undefined;
        tell(read());
      }, PUBLISH_MS);
    },
    countAnew() {
      before = told;
      if (told !== undefined) tell(told);
    },
    close() {
      closed = true;
      timer?.clear();
    },
  };
}
