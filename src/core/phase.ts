/** Where the process is in its life; it only ever moves forward. */
export type Phase = 'starting' | 'running' | 'draining' | 'stopped';

/** Every phase, in the order of a life. */
export const PHASES: readonly Phase[] = ['starting', 'running', 'draining', 'stopped'];

/** The later of the two phases: a phase never moves back, so a late `running` cannot undo `draining`. */
export function advancePhase(current: Phase, next: Phase): Phase {
  return phaseIndex(next) > phaseIndex(current) ? next : current;
}

/** The phase as the small number the board stores. */
export function phaseIndex(phase: Phase): number {
  return PHASES.indexOf(phase);
}

/** The phase behind a board number; anything unknown reads as `stopped`, the safe end. */
export function phaseAt(index: number): Phase {
  return PHASES[index] ?? 'stopped';
}
