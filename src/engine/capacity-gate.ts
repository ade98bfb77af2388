import {
  type Capacity,
  capacityChangeAt,
  changeCapacity,
  initialCapacityState,
  observeInFlight,
} from '../core/capacity.js';
import type { Clock, Timer } from '../core/clock.js';
import type { MayLeave } from '../core/exit-permit.js';
import type { Logger } from '../core/logger.js';
import { errorText } from '../core/error-text.js';
import type { GateKeeper } from './gates.js';

export interface CapacityGateOptions {
  readonly capacity: Capacity;
  readonly clock: Clock;
  readonly gates: GateKeeper;
  readonly logger: Logger;
  readonly mayLeave: MayLeave;
}

/** Fails readiness while too much has been in flight for too long (R8). */
export interface CapacityGate {
  /** To be called with the count after each change of it. */
  observe(inFlight: number): void;
  dispose(): void;
}

/** How long an instance that may not leave waits before it asks again. */
const ASK_AGAIN_MS = 1000;
/** A view of the fleet that hangs under the same load must not hold the ceiling open. */
const ANSWER_WITHIN_MS = 2000;

/** Creates the gate, open. */
export function createCapacityGate(options: CapacityGateOptions): CapacityGate {
  return new Gate(options);
}

class Gate implements CapacityGate {
  readonly #options: CapacityGateOptions;
  #state = initialCapacityState;
  #timer: Timer | undefined;
  #timerAt: number | undefined;
  /** Not before then is the permit asked for again. */
  #askAt = 0;
  /** Ends the wait for an answer that is on its way. */
  #asking: Timer | undefined;
  #disposed = false;

  constructor(options: CapacityGateOptions) {
    this.#options = options;
  }

  observe(inFlight: number): void {
    const { clock, capacity } = this.#options;
    this.#state = observeInFlight(this.#state, inFlight, clock.now(), capacity);
    this.#look();
  }

  dispose(): void {
    this.#disposed = true;
    this.#setTimer(undefined);
    this.#asking?.clear();
  }

  #look(): void {
    if (this.#disposed || this.#asking !== undefined) return;
    const { clock, capacity } = this.#options;
    const changeAt = capacityChangeAt(this.#state, capacity);
    const leaves = this.#state.underPressure;
    const at = changeAt !== undefined && leaves ? Math.max(changeAt, this.#askAt) : changeAt;
    if (at === undefined || at > clock.now()) this.#setTimer(at);
    else if (leaves) this.#ask();
    else this.#change();
  }

  #setTimer(at: number | undefined): void {
    if (at === this.#timerAt) return;
    const { clock } = this.#options;
    this.#timer?.clear();
    this.#timerAt = at;
    if (at === undefined) return;
    this.#timer = clock.setTimeout(() => {
      this.#timerAt = undefined;
      this.#look();
    }, at - clock.now());
  }

  #ask(): void {
    let answer: unknown;
    try {
      answer = this.#options.mayLeave('at_capacity');
    } catch (error) {
      this.#settle(this.#allowAnyway(error));
      return;
    }
    // Only `false` keeps an instance in; whoever answers at once is heard at once.
    if (answer instanceof Promise) this.#await(answer);
    else this.#settle(answer !== false);
  }

  #await(answer: Promise<unknown>): void {
    const settle = (may: () => boolean): void => {
      if (this.#asking !== patience) return;
      patience.clear();
      this.#asking = undefined;
      this.#settle(may());
    };
    const patience = this.#options.clock.setTimeout(() => {
      const late = new Error(`no answer within ${ANSWER_WITHIN_MS} ms`);
      settle(() => this.#allowAnyway(late));
    }, ANSWER_WITHIN_MS);
    this.#asking = patience;
    answer.then(
      (given) => settle(() => given !== false),
      (error: unknown) => settle(() => this.#allowAnyway(error)),
    );
  }

  #allowAnyway(error: unknown): true {
    const output = errorText(error);
    this.#options.logger.error(
      { event: 'may_leave_failed', output },
      `whether this instance may leave rotation could not be found out, so it may: ${output}`,
    );
    return true;
  }

  #settle(may: boolean): void {
    const { clock, capacity, logger } = this.#options;
    if (this.#disposed) return;
    // While the answer was on its way the pressure may have gone.
    const changeAt = capacityChangeAt(this.#state, capacity);
    if (may && this.#state.underPressure && changeAt !== undefined) this.#change();
    else if (!may) {
      logger.info({ event: 'stays_in_rotation', reason: 'at_capacity' }, 'may not leave rotation');
      this.#askAt = clock.now() + ASK_AGAIN_MS;
    }
    this.#look();
  }

  #change(): void {
    const { clock, gates } = this.#options;
    this.#state = changeCapacity(this.#state, clock.now());
    this.#setTimer(undefined);
    gates.set({ atCapacity: this.#state.atCapacity });
  }
}
