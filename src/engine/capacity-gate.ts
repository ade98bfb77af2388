import {
  type Capacity,
  capacityChangeAt,
  changeCapacity,
  initialCapacityState,
  observeInFlight,
} from '../core/capacity.js';
import type { Clock, Timer } from '../core/clock.js';
import type { GateKeeper } from './gates.js';

export interface CapacityGateOptions {
  readonly capacity: Capacity;
  readonly clock: Clock;
  readonly gates: GateKeeper;
}

/** Says for readiness that too much has been in flight for too long (R8). */
export interface CapacityGate {
  /** To be called with the count after each change of it. */
  observe(inFlight: number): void;
  dispose(): void;
}

/** Creates the gate, open. */
export function createCapacityGate(options: CapacityGateOptions): CapacityGate {
  return new Gate(options);
}

class Gate implements CapacityGate {
  readonly #options: CapacityGateOptions;
  #state = initialCapacityState;
  #timer: Timer | undefined;
  #timerAt: number | undefined;
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
  }

  #look(): void {
    if (this.#disposed) return;
    const { clock, capacity } = this.#options;
    const at = capacityChangeAt(this.#state, capacity);
    if (at === undefined || at > clock.now()) this.#setTimer(at);
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

  #change(): void {
    const { clock, gates } = this.#options;
    this.#state = changeCapacity(this.#state, clock.now());
    this.#setTimer(undefined);
    gates.set({ atCapacity: this.#state.atCapacity });
  }
}
