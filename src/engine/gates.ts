import { type Gates, initialProbeState } from '../core/probe-state.js';
import type { Publisher } from './publisher.js';

/** The conditions other than checks that can fail a probe. */
export interface GateKeeper {
  readonly current: Gates;
  /** Changes some of them and publishes at once: a gate is closed because it must not wait. */
  set(change: Partial<Gates>): void;
}

/** Creates the gates, all open. */
export function createGateKeeper(publisher: Publisher): GateKeeper {
  let current = initialProbeState.gates;
  return {
    get current() {
      return current;
    },
    set(change) {
      current = { ...current, ...change };
      publisher.patch({ gates: current });
      publisher.flush();
    },
  };
}
