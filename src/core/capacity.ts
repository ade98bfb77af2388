import { OptionError } from './errors.js';
import { integerOption } from './validate.js';

/** Limits of work in flight; the gap between the two keeps readiness from oscillating (R8). */
export interface CapacityOptions {
  /** Not ready from this many in flight. */
  leaveAt: number;
  /** Ready again at this many or fewer. @defaultValue 80 % of `leaveAt` */
  reenterAt?: number;
}

export type Capacity = Readonly<Required<CapacityOptions>>;

/**
 * Completes the limits.
 * @throws OptionError when a limit is out of range or `reenterAt` is not below `leaveAt`.
 */
export function createCapacity(options: CapacityOptions): Capacity {
  const leaveAt = integerOption('capacity.leaveAt', options.leaveAt, { min: 1 });
  const reenterAt = integerOption(
    'capacity.reenterAt',
    options.reenterAt ?? Math.floor(leaveAt * 0.8),
    { min: 0 },
  );
  if (reenterAt >= leaveAt) {
    throw new OptionError('capacity.reenterAt', `below capacity.leaveAt (${leaveAt})`, reenterAt);
  }
  return { leaveAt, reenterAt };
}

/** Whether the process is at capacity, given whether it was. */
export function nextAtCapacity(
  was: boolean,
  inFlight: number,
  { leaveAt, reenterAt }: Capacity,
): boolean {
  return was ? inFlight > reenterAt : inFlight >= leaveAt;
}
