import type { Clock } from '../../core/clock.js';
import type { MainThreadReadings } from '../../core/diagnosis.js';
import type { MainSample } from './main-sampler.js';

/** What the main loop last told of itself. */
export interface MainReadings {
  /** Asks the main loop, unless an answer is still to come: while it stands still, questions must not pile up. */
  ask(): void;
  /** Asks and waits a moment for the answer; never rejects. */
  fresh(): Promise<void>;
  read(now: number): MainThreadReadings | undefined;
}

export interface MainReadingsOptions {
  readonly clock: Pick<Clock, 'now' | 'setTimeout'>;
  /** Resolves once the main loop has answered. */
  readonly sample: () => Promise<MainSample>;
  readonly onError: (error: unknown) => void;
}

/** A loop that is not blocked answers in a millisecond. */
const WAIT_MS = 100;

/** Creates it without an answer. */
export function createMainReadings(options: MainReadingsOptions): MainReadings {
  const { clock, sample, onError } = options;
  let asked: Promise<void> | undefined;
  let last: MainSample | undefined;
  let utilisation = 0;
  let failed = false;

  function take(answer: MainSample): void {
    utilisation = busyShare(answer, last);
    last = answer;
  }

  /** Told once: it is asked every second. */
  function fail(error: unknown): void {
    if (!failed) onError(error);
    failed = true;
  }

  function ask(): Promise<void> {
    asked ??= sample()
      .then(take, fail)
      .finally(() => (asked = undefined));
    return asked;
  }

  return {
    ask: () => void ask(),
    fresh: () =>
      new Promise((resolve) => {
        const timer = clock.setTimeout(resolve, WAIT_MS);
        void ask().then(() => {
          timer.clear();
          resolve();
        });
      }),
    read(now) {
      if (last === undefined) return undefined;
      const { at, heapUsedBytes, heapLimitBytes, externalBytes, gc } = last;
      return {
        ageMs: Math.max(0, Math.round(now - at)),
        heapUsedBytes,
        heapLimitBytes,
        externalBytes,
        utilisation,
        gc: { ...gc, totalMs: tenths(gc.totalMs), longestMs: tenths(gc.longestMs) },
      };
    },
  };
}

function busyShare(now: MainSample, before: MainSample | undefined): number {
  const busy = now.activeMs - (before?.activeMs ?? 0);
  const idle = now.idleMs - (before?.idleMs ?? 0);
  const share = busy + idle > 0 ? busy / (busy + idle) : 0;
  return Math.round(Math.min(1, Math.max(0, share)) * 1000) / 1000;
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
