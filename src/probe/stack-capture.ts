import type { Clock } from '../core/clock.js';
import type { StallCause } from '../core/probe-host.js';
import { type StackResult, readMainStack } from './main-stack.js';
import { readKernelState, threadState } from './native-state.js';

export interface CaptureOptions {
  readonly clock: Pick<Clock, 'setTimeout'>;
  /** The process id, which is also the main thread's id. */
  readonly pid: number;
  /** Whether the main thread lets an inspector session in. */
  readonly inspectable: boolean;
}

/** JavaScript takes up an interrupt within microseconds; a thread that sleeps this long over it is in native code. */
const SLEEPING_WAIT_MS = 250;

/** A thread that is ready to run may only be waiting for a processor. */
const RUNNING_WAIT_MS = 1000;

const FORBIDDEN: StackResult = {
  kind: 'unavailable',
  why: "Node.js's permission model keeps the inspector out",
};

const SAMPLES = 3;
const SAMPLE_GAP_MS = 10;

/**
 * Finds out what blocks the main thread. A thread that sleeps throughout is waiting in native code, even where that
 * code (`Atomics.wait`) lets itself be interrupted for its stack; one that runs but takes up no interrupt is
 * computing there.
 */
export async function captureCause({
  clock,
  pid,
  inspectable,
}: CaptureOptions): Promise<StallCause> {
  const sleeping = await sleepsThroughout(clock, pid);
  // Before the interrupt, which would show the interrupt's own wait instead.
  const kernel = readKernelState(pid);
  const waitMs = sleeping ? SLEEPING_WAIT_MS : RUNNING_WAIT_MS;
  const stack: StackResult = inspectable
    ? await readMainStack({ clock, waitMs, answerWithinMs: RUNNING_WAIT_MS })
    : FORBIDDEN;
  switch (stack.kind) {
    case 'frames':
      if (!sleeping) return { kind: 'javascript', frames: stack.frames };
      return { kind: 'native', kernel, frames: stack.frames };
    case 'uninterruptible':
      return { kind: 'native', kernel };
    case 'unavailable':
      return { kind: 'unavailable', why: stack.why };
  }
}

async function sleepsThroughout(clock: Pick<Clock, 'setTimeout'>, pid: number): Promise<boolean> {
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const state = threadState(pid);
    if (state !== 'S' && state !== 'D') return false;
    await new Promise<void>((resolve) => {
      clock.setTimeout(resolve, SAMPLE_GAP_MS);
    });
  }
  return true;
}
