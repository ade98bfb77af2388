import type { Clock } from './clock.js';
import type { Logger } from './logger.js';

/** What an adapter is given when its worker is registered. */
export interface WorkerContext {
  readonly clock: Clock;
  readonly logger: Logger;
  /** To be called at the end of each job: the proof that the worker moves. */
  jobEnded(): void;
  /** To be called when consumption has ended against its will; hale resumes it after a pause that grows. */
  lost(error: unknown): void;
}

/** One kind of consumer, told when it may take jobs. Of `pause` and `resume` the later call wins, also while the earlier is under way. */
export interface WorkerAdapter {
  /** Called once, before any other. */
  start?(context: WorkerContext): void;
  /** From the return of this call on no new job starts; those in progress go on. */
  pause(): unknown;
  /** Takes jobs, for the first time or again. */
  resume(): unknown;
  /** The jobs in progress, as people know them. */
  active(): readonly string[];
  /** Resolves once no job is in progress. */
  whenIdle(): Promise<void>;
  /** Hands the jobs in progress back, so that another worker gets them soon; absent where that is not possible. */
  giveBack?(): unknown;
  /** Ends consumption for good, once no job is in progress or all are given back. */
  close(): unknown;
}

/** Options of `health.worker`. */
export interface WorkerOptions {
  /** Consumption resumes after a random part of this time, so that replicas do not fall upon a dependency together. @defaultValue 2000 */
  resumeJitterMs?: number;
  /** Time before the deadline of the drain at which jobs in progress are given back. @defaultValue 2000 */
  giveBackMs?: number;
  /** Liveness fails when no job ends for this long while the backlog is not empty; needs `backlog`. Longer than the longest job. */
  stallAfterMs?: number;
  /** Jobs that wait. May ask the broker: it is read in the background, never by a probe. */
  backlog?: ReadBacklog;
  /** Time between two reads of the backlog. @defaultValue a quarter of stallAfterMs, 30000 at most */
  backlogEveryMs?: number;
}

/** Reads how many jobs wait; should give up when the signal aborts. */
export type ReadBacklog = (signal: AbortSignal) => number | Promise<number>;

/** A registered worker. */
export interface WorkerHandle {
  /** Whether it may take jobs now. */
  readonly consuming: boolean;
  /** Takes the worker out: it is paused, and neither watched nor waited for any more. */
  done(): void;
}

/** What can register a worker; `Health` is one. */
export interface WorkerHost {
  worker(name: string, adapter: WorkerAdapter, options?: WorkerOptions): WorkerHandle;
}
