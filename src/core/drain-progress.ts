import type { DrainStepName, StepReport } from './drain-plan.js';

/** How far a drain has come. */
export type DrainProgress =
  | {
      readonly kind: 'begin';
      readonly reason: string;
      readonly propagationDelayMs: number;
      readonly deadlineMs: number;
      readonly inFlight: number;
    }
  | { readonly kind: 'step_begin'; readonly step: DrainStepName; readonly limitMs: number }
  | ({ readonly kind: 'step_end' } & StepReport)
  | {
      readonly kind: 'end';
      readonly reason: string;
      readonly exitCode: 0 | 1;
      readonly durationMs: number;
    };

const STEP_TEXT: Readonly<Record<DrainStepName, string>> = {
  propagation: 'serving on while load balancers learn of it',
  stop_accepting: 'closing the listeners',
  in_flight: 'finishing what is in flight',
  consumers: 'ending the consumers',
  closers: 'running the shutdown hooks',
  lease_release: 'releasing the lease',
};

/** A line for a person at a terminal; absent for what is not worth one. */
export function drainText(progress: DrainProgress): string | undefined {
  switch (progress.kind) {
    case 'begin':
      return `${progress.reason}: not ready any more, ${progress.inFlight} in flight, at most ${seconds(progress.deadlineMs)} left (Ctrl+C ends it at once)`;
    case 'step_begin':
      return undefined;
    case 'step_end':
      return stepText(progress);
    case 'end':
      return `drained in ${seconds(progress.durationMs)}, exit code ${progress.exitCode}`;
  }
}

/** A line that tells what a step still waits for. */
export function waitingText(step: DrainStepName, leftMs: number, open: readonly string[]): string {
  const what = step === 'propagation' || open.length === 0 ? '' : `: ${open.join(', ')}`;
  return `${STEP_TEXT[step]}, at most ${seconds(leftMs)} more${what}`;
}

function stepText({ step, ended, durationMs, open }: StepReport): string | undefined {
  if (ended !== 'done') return `${STEP_TEXT[step]}: ${ended}, ${open.join(', ')}`;
  return durationMs < 100 ? undefined : `${STEP_TEXT[step]}: done in ${seconds(durationMs)}`;
}

function seconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
}
