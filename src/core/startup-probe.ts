import { type Decision, decide } from './decision.js';
import type { StartupView } from './probe-state.js';

/** Decides whether initialisation has finished; once passed it never reverts (S1), so nothing else is looked at. */
export function decideStartup({ complete, timedOut }: StartupView): Decision {
  if (complete) return decide([], []);
  return decide([timedOut ? 'startup_timeout' : 'starting'], []);
}
