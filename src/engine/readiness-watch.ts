import type { Clock, Timer } from '../core/clock.js';
import type { Decision } from '../core/decision.js';
import { HaleError } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import type { Reason } from '../core/reason.js';
import type { Status } from '../core/check.js';
import { MAX_DURATION_MS } from '../core/validate.js';

/** A change of what readiness says. */
export interface ReadinessChange {
  readonly from: { readonly status: Status; readonly reason: Reason };
  readonly to: { readonly status: Status; readonly reason: Reason };
  /** Wall-clock time of the change. */
  readonly at: number;
  /** How long it had been otherwise. */
  readonly lastedMs: number;
}

export interface ReadinessWatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What readiness says at this moment. */
  decide(): Decision;
  /** Told what readiness says before it is compared with what it said; may change it. */
  onLook?(decision: Decision): void;
  /** What a log line tells beside the reason. */
  context(): Readonly<Record<string, unknown>>;
  onChange(change: ReadinessChange): void;
}

/** Notices when readiness changes, tells it once, and lets work wait for it. */
export interface ReadinessWatch {
  readonly current: Decision;
  /** To be called after whatever may have changed it. */
  look(): void;
  /**
   * Resolves once readiness does not fail. The process lives for as long as somebody waits: with the dependencies away
   * nothing else may keep it (S4).
   * @throws HaleError `HALE_ABORTED` when the signal aborts, `HALE_STATE` once it cannot pass any more,
   * `HALE_DISPOSED`.
   */
  untilReady(signal?: AbortSignal): Promise<void>;
  /** Rejects whoever still waits. */
  dispose(): void;
}

/** Reasons after which this process never gets ready again. */
const FINAL: readonly Reason[] = ['draining', 'stopped', 'fatal'];

/** Creates the watch with what readiness says now. */
export function createReadinessWatch(options: ReadinessWatchOptions): ReadinessWatch {
  return new Watch(options);
}

interface Waiter {
  resolve(): void;
  reject(error: HaleError): void;
}

class Watch implements ReadinessWatch {
  readonly #options: ReadinessWatchOptions;
  readonly #waiters = new Set<Waiter>();
  #current: Decision;
  #since: number;
  #hold: Timer | undefined;
  #disposed = false;

  constructor(options: ReadinessWatchOptions) {
    this.#options = options;
    this.#current = options.decide();
    this.#since = options.clock.now();
  }

  get current(): Decision {
    return this.#current;
  }

  look(): void {
    const { clock, decide, onChange, onLook } = this.#options;
    if (onLook !== undefined) onLook(decide());
    const from = this.#current;
    const to = decide();
    this.#current = to;
    if (from.reason === to.reason && from.status === to.status) return;
    const now = clock.now();
    const lastedMs = now - this.#since;
    this.#since = now;
    this.#log(from, to, lastedMs);
    this.#wake();
    onChange({ from: brief(from), to: brief(to), at: clock.wallNow(), lastedMs });
  }

  untilReady(signal?: AbortSignal): Promise<void> {
    this.look();
    if (this.#current.status !== 'fail') return Promise.resolve();
    if (signal?.aborted === true) return Promise.reject(aborted());
    if (this.#disposed) return Promise.reject(disposed());
    return new Promise((resolve, reject) => {
      const onAbort = (): void => waiter.reject(aborted());
      const leave = (): void => {
        this.#waiters.delete(waiter);
        this.#holdOrLetGo();
        signal?.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        resolve() {
          leave();
          resolve();
        },
        reject(error) {
          leave();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      this.#holdOrLetGo();
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#wake();
    });
  }

  dispose(): void {
    this.#disposed = true;
    this.#rejectAll(disposed());
  }

  #holdOrLetGo(): void {
    if (this.#waiters.size === 0) {
      this.#hold?.clear();
      this.#hold = undefined;
      return;
    }
    const { clock } = this.#options;
    this.#hold ??= clock.setTimeout(() => {}, MAX_DURATION_MS, { keepsProcessAlive: true });
  }

  #wake(): void {
    const { status, reason } = this.#current;
    if (status !== 'fail') for (const waiter of [...this.#waiters]) waiter.resolve();
    else if (FINAL.includes(reason)) {
      this.#rejectAll(
        new HaleError('HALE_STATE', `this process will not get ready again: ${reason}`),
      );
    }
  }

  #rejectAll(error: HaleError): void {
    for (const waiter of [...this.#waiters]) waiter.reject(error);
  }

  #log(from: Decision, to: Decision, lastedMs: number): void {
    const { logger, context } = this.#options;
    const fields = {
      event: 'readiness',
      status: to.status,
      reason: to.reason,
      reasons: to.reasons,
      ...(to.heldFor === undefined ? {} : { heldFor: to.heldFor }),
      previous: from.reason,
      lastedMs: Math.round(lastedMs),
      ...context(),
    };
    const text = `readiness ${to.status === 'fail' ? 'fails' : 'passes'}: ${to.reason}, after ${from.reason}`;
    if (to.status === 'pass' || to.reason === 'draining') logger.info(fields, text);
    else logger.warn(fields, text);
  }
}

function brief({ status, reason }: Decision): { status: Status; reason: Reason } {
  return { status, reason };
}

function disposed(): HaleError {
  return new HaleError('HALE_DISPOSED', 'hale was disposed: nothing tells of readiness any more');
}

function aborted(): HaleError {
  return new HaleError('HALE_ABORTED', 'stopped waiting for readiness: the signal aborted');
}
