import type { StallCause, StallEnd, StallReport, StackFrame } from '../core/probe-host.js';
import type { DirectLog } from './stderr-log.js';

export interface StallMonitorOptions {
  readonly capture: () => Promise<StallCause>;
  readonly log: DirectLog;
  readonly onStall: (report: StallReport) => void;
  readonly onStallEnd: (end: StallEnd) => void;
  readonly onError: (error: unknown) => void;
}

/** Says what blocks the main loop while it does, and how long it did. */
export interface StallMonitor {
  begin(blockedForMs: number): void;
  end(blockedForMs: number): void;
}

/** Creates a monitor; its reports come in the order of what happened. */
export function createStallMonitor(options: StallMonitorOptions): StallMonitor {
  const { capture, log, onStall, onStallEnd, onError } = options;
  let reports = Promise.resolve();
  let blocked = false;
  const enqueue = (report: () => void | Promise<void>): void => {
    reports = reports.then(report).catch(onError);
  };
  return {
    begin(blockedForMs) {
      blocked = true;
      enqueue(async () => {
        const found = await capture();
        const cause: StallCause = blocked
          ? found
          : { kind: 'unavailable', why: 'the main loop turned again before it could be looked at' };
        log(
          'error',
          'event_loop_blocked',
          { blockedForMs: Math.round(blockedForMs), cause, ...topFrame(cause) },
          describeCause(cause),
        );
        onStall({ blockedForMs, cause });
      });
    },
    end(blockedForMs) {
      blocked = false;
      enqueue(() => {
        const ms = Math.round(blockedForMs);
        log(
          'info',
          'event_loop_resumed',
          { blockedForMs: ms },
          `event loop turns again after ${ms} ms`,
        );
        onStallEnd({ blockedForMs });
      });
    },
  };
}

/** One sentence on what blocks the loop. */
export function describeCause(cause: StallCause): string {
  switch (cause.kind) {
    case 'javascript':
      return `event loop blocked by ${describeFrame(topOf(cause.frames))}`;
    case 'native':
      return describeNative(cause);
    case 'unavailable':
      return `event loop blocked; what blocks it could not be seen: ${cause.why}`;
  }
}

function describeNative({ kernel, frames }: Extract<StallCause, { kind: 'native' }>): string {
  const call =
    kernel.syscallName ??
    (kernel.syscall === undefined ? 'an unknown place' : `system call ${kernel.syscall}`);
  const where = kernel.syscall === 'running' ? 'computing' : `in ${call}`;
  const children = kernel.childProcesses ?? [];
  const child = children.length === 0 ? '' : `, waiting for ${children.join(', ')}`;
  const caller = frames === undefined ? '' : `, called by ${describeFrame(topOf(frames))}`;
  return `event loop blocked in native code, ${where}${child}${caller}`;
}

/** The first frame in a file: what the program itself wrote, if anything of it is on the stack. */
function topOf(frames: readonly StackFrame[]): StackFrame | undefined {
  return frames.find(({ file }) => file !== '' && !file.startsWith('node:')) ?? frames[0];
}

function describeFrame(frame: StackFrame | undefined): string {
  if (frame === undefined) return 'code that is on no stack';
  return `${frame.functionName} (${frame.file}:${frame.line}:${frame.column})`;
}

function topFrame(cause: StallCause): Partial<StackFrame> {
  const frames = 'frames' in cause ? cause.frames : undefined;
  return frames === undefined ? {} : (topOf(frames) ?? {});
}
