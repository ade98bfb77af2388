import type { StallDiagnosis } from '../../core/diagnosis.js';
import { isoTime } from '../../core/iso-time.js';
import { plainText } from '../../core/plain-text.js';
import type { StackFrame, StallCause, StallReport } from '../../core/probe-host.js';
import { describeCause } from '../stall-monitor.js';
import { type Moment, wallTimeOf } from './moment.js';

/** The last time the main loop stood still. */
export interface StallRecord {
  begin(blockedForMs: number, moment: Moment): void;
  /** What blocks it was found out. */
  explain(report: StallReport): void;
  end(blockedForMs: number): void;
  now(moment: Moment): (StallDiagnosis & { readonly text: string }) | undefined;
}

interface Stall {
  /** Monotonic time at which the loop last turned. */
  readonly from: number;
  readonly wallFrom: number;
  cause: StallCause;
  /** Present once it is over. */
  lastedMs?: number;
}

const UNSEEN: StallCause = { kind: 'unavailable', why: 'it is being looked at' };

/** Creates the record of a loop that has never stood still. */
export function createStallRecord(redact: (text: string) => string): StallRecord {
  // What functions, files and commands are called is up to the program: a command line may hold a password.
  const plain = (text: string): string => plainText(redact(text));
  let stall: Stall | undefined;
  return {
    begin(blockedForMs, moment) {
      const from = moment.now - blockedForMs;
      stall = { from, wallFrom: wallTimeOf(from, moment), cause: UNSEEN };
    },
    explain({ cause }) {
      if (stall !== undefined) stall.cause = plainCause(cause, plain);
    },
    end(blockedForMs) {
      if (stall !== undefined) stall.lastedMs = blockedForMs;
    },
    now({ now }) {
      if (stall === undefined) return undefined;
      const { from, wallFrom, cause, lastedMs } = stall;
      return {
        at: isoTime(wallFrom),
        blockedForMs: Math.round(lastedMs ?? now - from),
        ongoing: lastedMs === undefined,
        cause,
        text: describeCause(cause),
      };
    },
  };
}

function plainCause(cause: StallCause, plain: (text: string) => string): StallCause {
  const plainFrame = (frame: StackFrame): StackFrame => ({
    ...frame,
    functionName: plain(frame.functionName),
    file: plain(frame.file),
  });
  switch (cause.kind) {
    case 'javascript':
      return { ...cause, frames: cause.frames.map(plainFrame) };
    case 'unavailable':
      return { ...cause, why: plain(cause.why) };
    case 'native': {
      const { kernel, frames } = cause;
      const { childProcesses } = kernel;
      return {
        ...cause,
        kernel: { ...kernel, ...(childProcesses && { childProcesses: childProcesses.map(plain) }) },
        ...(frames && { frames: frames.map(plainFrame) }),
      };
    }
  }
}
