import { type Capacity, nextAtCapacity } from '../core/capacity.js';
import type { GateKeeper } from './gates.js';

/** Fails readiness while too much is in flight (R8); to be called with the count after each change of it. */
export function createCapacityGate(capacity: Capacity, gates: GateKeeper): (count: number) => void {
  return (count) => {
    const was = gates.current.atCapacity;
    const atCapacity = nextAtCapacity(was, count, capacity);
    if (atCapacity !== was) gates.set({ atCapacity });
  };
}
