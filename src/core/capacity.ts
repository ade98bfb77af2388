import { DEFAULTS } from './defaults.js';
import { OptionError } from './errors.js';
import { durationOption, integerOption } from './validate.js';

/** Limits of work in flight; the gaps in count and in time keep readiness from oscillating (R8). */
export interface CapacityOptions {
  /** Under pressure from this many in flight. */
  leaveAt: number;
  /** Pressure is over at this many or fewer. @defaultValue 80 % of `leaveAt` */
  reenterAt?: number;
  /** How long pressure lasts before readiness fails, milliseconds. @defaultValue 1000 */
  leaveAfterMs?: number;
  /** How long it has been over before readiness passes again, milliseconds. @defaultValue 5000 */
  reenterAfterMs?: number;
}

export type Capacity = Readonly<Required<CapacityOptions>>;

/** A load balancer that hears of it more often only moves the load about. */
const CHANGES_PER_WINDOW = 2;
const CHANGE_WINDOW_MS = 60_000;

/** Requests that began together end together; under load their places are taken again sooner than this. */
const DIP_MS = 250;

/**
 * Completes the limits.
 * @throws OptionError when a limit is out of range or `reenterAt` is not below `leaveAt`.
 */
export function createCapacity(options: CapacityOptions): Capacity {
  const leaveAt = integerOption('capacity.leaveAt', options.leaveAt, { min: 1 });
  const { reenterShare, ...defaults } = DEFAULTS.capacity;
  const given = options.reenterAt ?? Math.floor(leaveAt * reenterShare);
  const reenterAt = integerOption('capacity.reenterAt', given, { min: 0 });
  if (reenterAt >= leaveAt) {
    throw new OptionError('capacity.reenterAt', `below capacity.leaveAt (${leaveAt})`, reenterAt);
  }
  const { leaveAfterMs = defaults.leaveAfterMs, reenterAfterMs = defaults.reenterAfterMs } =
    options;
  return {
    leaveAt,
    reenterAt,
    leaveAfterMs: durationOption('capacity.leaveAfterMs', leaveAfterMs, 0),
    reenterAfterMs: durationOption('capacity.reenterAfterMs', reenterAfterMs, 0),
  };
}

/** Where a process stands with its capacity, in monotonic milliseconds. */
export interface CapacityState {
  /** What readiness says. */
  readonly atCapacity: boolean;
  readonly underPressure: boolean;
  /** When pressure began or ended. */
  readonly since: number;
  /** When pressure began, short dips not counted as its end. */
  readonly pressureSince: number;
  /** The last changes of `atCapacity`, oldest first. */
  readonly changes: readonly number[];
}

export const initialCapacityState: CapacityState = {
  atCapacity: false,
  underPressure: false,
  since: -Infinity,
  pressureSince: -Infinity,
  changes: [],
};

/** The state after the count in flight has been seen. */
export function observeInFlight(
  state: CapacityState,
  inFlight: number,
  now: number,
  { leaveAt, reenterAt }: Capacity,
): CapacityState {
  const underPressure = state.underPressure ? inFlight > reenterAt : inFlight >= leaveAt;
  if (underPressure === state.underPressure) return state;
  const isDip = underPressure && now - state.since <= DIP_MS;
  const pressureSince = underPressure && !isDip ? now : state.pressureSince;
  return { ...state, underPressure, since: now, pressureSince };
}

/** When readiness is to change, if nothing else happens; absent when it says what is the case. */
export function capacityChangeAt(
  state: CapacityState,
  { leaveAfterMs, reenterAfterMs }: Capacity,
): number | undefined {
  const { atCapacity, underPressure, since, pressureSince, changes } = state;
  if (atCapacity === underPressure) return undefined;
  const heldAt = underPressure ? pressureSince + leaveAfterMs : since + reenterAfterMs;
  const [oldest] = changes;
  if (changes.length < CHANGES_PER_WINDOW || oldest === undefined) return heldAt;
  return Math.max(heldAt, oldest + CHANGE_WINDOW_MS);
}

/** The state after readiness has changed. */
export function changeCapacity(state: CapacityState, now: number): CapacityState {
  const changes = [...state.changes, now].slice(-CHANGES_PER_WINDOW);
  return { ...state, atCapacity: state.underPressure, changes };
}
