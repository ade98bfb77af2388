import type { AnswerCounts } from '../core/answering-figures.js';
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
  return {
    note() {
      if (closed) return;
      timer ??= clock.setTimeout(() => {
        timer = undefined;
        publish(read());
      }, PUBLISH_MS);
    },
    close() {
      closed = true;
      timer?.clear();
    },
  };
}
