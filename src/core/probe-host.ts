import type { Board } from './board.js';
import type { ProbeUpdate } from './probe-state.js';

/** Where a listener ended up, as bound by the kernel. */
export interface BoundAddress {
  readonly kind: 'probes' | 'diagnostic' | 'tcp' | 'agentCheck' | 'grpc';
  readonly host: string;
  readonly port: number;
}

/** The port between the engine and the side that answers probes, on its own thread or inline. */
export interface ProbeHost {
  readonly board: Board;
  /**
   * Resolves once every configured listener is bound.
   * @throws HaleError `HALE_PORT_IN_USE`, `HALE_LISTEN_FAILED` or `HALE_PROBE_THREAD_FAILED`.
   */
  start(): Promise<readonly BoundAddress[]>;
  publish(update: ProbeUpdate): void;
  /** Closes the listeners and ends the thread; idempotent, never rejects. */
  dispose(): Promise<void>;
}

/** What the probe side tells the engine. */
export interface ProbeHostEvents {
  /** The probe side runs on-demand checks through this; resolves once their results are published. */
  evaluate(): Promise<void>;
  onStall(stall: StallReport): void;
  onStallEnd(end: StallEnd): void;
  /** Liveness was answered with a failure for the first time since it last passed. */
  onLivenessFailed(reason: string): void;
  /** A message for systemd, where the caller sends them. */
  notify?(message: string): void;
  /** An error in hale's own code on the probe side; it has been contained. */
  onError(error: unknown): void;
}

/** The main loop has not turned for longer than allowed. */
export interface StallReport {
  readonly blockedForMs: number;
  readonly cause: StallCause;
}

export type StallCause =
  | { readonly kind: 'javascript'; readonly frames: readonly StackFrame[] }
  /**
   * The thread sleeps in, or cannot be interrupted out of, native code: what the kernel says of it, and the
   * JavaScript that called it where the native code let itself be interrupted (`Atomics.wait` does).
   */
  | {
      readonly kind: 'native';
      readonly kernel: KernelState;
      readonly frames?: readonly StackFrame[];
    }
  | { readonly kind: 'unavailable'; readonly why: string };

export interface StackFrame {
  readonly functionName: string;
  readonly file: string;
  /** One-based. */
  readonly line: number;
  readonly column: number;
}

/** The main thread as `/proc/self/task/<tid>` shows it; a field that could not be read is absent. */
export interface KernelState {
  /** One letter: `R` running, `S` sleeping, `D` in uninterruptible I/O, `T` stopped. */
  readonly state?: string;
  readonly wchan?: string;
  /** The system call's number, or `running`. */
  readonly syscall?: string;
  /** The system call's name where known. */
  readonly syscallName?: string;
  readonly childProcesses?: readonly string[];
}

export interface StallEnd {
  readonly blockedForMs: number;
}
