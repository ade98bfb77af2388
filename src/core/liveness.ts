import { type Decision, decide } from './decision.js';
import type { ProbeState } from './probe-state.js';
import { type Reason, reason } from './reason.js';

/** What liveness is decided from. There is no way to pass a check in: liveness looks only at the process (L1, L2). */
export interface LivenessInput {
  readonly gates: Pick<ProbeState['gates'], 'fatal'>;
  readonly failingGuards: readonly string[];
  readonly loopStalled: boolean;
  readonly stalledProgress: readonly string[];
}

/**
 * Decides whether only a restart helps. Phase is no input: liveness stays good while starting and while
 * draining (L6).
 */
export function decideLiveness({
  gates,
  failingGuards,
  loopStalled,
  stalledProgress,
}: LivenessInput): Decision {
  const failures: Reason[] = [
    ...(loopStalled ? (['event_loop_stalled'] as const) : []),
    ...(gates.fatal === undefined ? [] : (['fatal'] as const)),
    ...failingGuards.map((name) => reason('guard_failed', name)),
    ...stalledProgress.map((name) => reason('progress_stalled', name)),
  ];
  return decide(failures, []);
}
