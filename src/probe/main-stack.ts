import type { Debugger, Session } from 'node:inspector';
import type { Clock } from '../core/clock.js';
import type { StackFrame } from '../core/probe-host.js';

/** What came of the attempt to interrupt the main thread. */
export type StackResult =
  | { readonly kind: 'frames'; readonly frames: readonly StackFrame[] }
  /** The request was not taken up in time: the main thread is not in JavaScript. */
  | { readonly kind: 'uninterruptible' }
  | { readonly kind: 'unavailable'; readonly why: string };

export interface StackOptions {
  readonly clock: Pick<Clock, 'setTimeout'>;
  /** How long the main thread may take to take up the request, milliseconds. */
  readonly waitMs: number;
  /** How long it may take from then on: it is in JavaScript, but may be waiting for a processor. */
  readonly answerWithinMs: number;
}

const MAX_FRAMES = 16;

/**
 * Interrupts the main thread through an inspector session for as long as it takes to read its stack. It never
 * rejects and never waits longer than `waitMs` and `answerWithinMs` together. Ending the session also withdraws a
 * pause that was not taken up, so the main thread does not stop when it comes back from native code.
 */
export function readMainStack(options: StackOptions): Promise<StackResult> {
  const { clock, waitMs, answerWithinMs } = options;
  return new Promise((resolve) => {
    let session: Session | undefined;
    let timer: ReturnType<typeof clock.setTimeout> | undefined;
    let settled = false;
    const settle = (result: StackResult): void => {
      if (settled) return;
      settled = true;
      timer?.clear();
      disconnect(session);
      resolve(result);
    };
    const giveUpIn = (ms: number): void => {
      timer?.clear();
      if (!settled) timer = clock.setTimeout(() => settle({ kind: 'uninterruptible' }), ms);
    };
    try {
      // Loaded for the stall: the thread should not have to wait for it before it listens.
      session = new (process.getBuiltinModule('node:inspector').Session)();
      session.connectToMainThread();
      session.once('inspectorNotification', () => giveUpIn(answerWithinMs));
      pause(session, settle);
      // From here: how long loading and connecting took says nothing about the main thread.
      giveUpIn(waitMs);
    } catch (error) {
      settle(unavailable(error));
    }
  });
}

function pause(session: Session, settle: (result: StackResult) => void): void {
  let asked = false;
  // Every script there is, told while the debugger is being enabled; frames themselves carry no file.
  const files = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => files.set(params.scriptId, params.url));
  session.on('Debugger.paused', ({ params }) => {
    // A debugger of the user holds it at a breakpoint: resuming would let it run on under their hands.
    if (!asked) {
      settle({ kind: 'unavailable', why: 'a debugger has paused the main thread' });
      return;
    }
    const frames = params.callFrames.slice(0, MAX_FRAMES).map((frame) => toFrame(frame, files));
    session.post('Debugger.resume');
    settle({ kind: 'frames', frames });
  });
  session.post('Debugger.enable', (error) => {
    if (error !== null) {
      settle(unavailable(error));
      return;
    }
    asked = true;
    session.post('Debugger.pause', (refused) => {
      if (refused !== null) settle(unavailable(refused));
    });
  });
}

function disconnect(session: Session | undefined): void {
  try {
    session?.disconnect();
  } catch {
    // It was never connected; there is nothing to end.
  }
}

function unavailable(error: unknown): StackResult {
  const why = (error as { message?: unknown }).message;
  return {
    kind: 'unavailable',
    why: typeof why === 'string' ? why : 'the inspector is not available',
  };
}

function toFrame(
  { functionName, location }: Debugger.CallFrame,
  files: ReadonlyMap<string, string>,
): StackFrame {
  return {
    functionName: functionName === '' ? '(anonymous)' : functionName,
    file: toPath(files.get(location.scriptId) ?? ''),
    // The protocol counts from zero.
    line: location.lineNumber + 1,
    column: (location.columnNumber ?? 0) + 1,
  };
}

function toPath(url: string): string {
  if (!url.startsWith('file://')) return url;
  try {
    return process.getBuiltinModule('node:url').fileURLToPath(url);
  } catch {
    return url;
  }
}
