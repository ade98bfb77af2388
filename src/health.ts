import type { ChangeStream, ChangesOptions } from './core/change-stream.js';
import type { Check, CheckRun } from './core/check.js';
import type { Decision } from './core/decision.js';
import type { DrainProgress } from './core/drain-progress.js';
import type { LeaseParticipant } from './core/lease-host.js';
import type { MetricReading } from './core/metric-readings.js';
import type { Phase } from './core/phase.js';
import type { BoundAddress } from './core/probe-host.js';
import type { ProbePaths } from './core/probe-options.js';
import type { CheckView, StartupView } from './core/probe-state.js';
import type { WorkerAdapter, WorkerHandle, WorkerHost, WorkerOptions } from './core/worker.js';
import type { AdmissionMiddleware, AdmissionResult } from './engine/admission.js';
import type { DrainHook, DrainHookOptions } from './engine/drain-hooks.js';
import type { DrainableServer, DrainsOptions } from './engine/drain-targets.js';
import type { DrainResult } from './engine/drain.js';
import type { CheckTransition } from './engine/monitored-check.js';
import type { Progress, ProgressOptions } from './engine/progress.js';
import type { QueueProgress, QueueProgressOptions } from './engine/queue-progress.js';
import type { ReadinessChange } from './engine/readiness-watch.js';
import type { ProbeRequest } from './probe/handler.js';
import type { ProbeResponse } from './probe/prepared.js';
import type { StartupTask, StartupTaskOptions, WarmUpOptions } from './engine/startup-tasks.js';
import type { StreamLike, StreamOptions } from './engine/streams.js';

/** What hale knows at this moment. */
export interface Report {
  readonly phase: Phase;
  readonly readiness: Decision;
  /**
   * As far as the main thread can tell: guards and `fatal()`. Whether the loop, or a progress, stands still is judged
   * where probes are answered, and told there.
   */
  readonly liveness: Decision;
  readonly startup: StartupView;
  readonly checks: readonly CheckView[];
  readonly inFlight: number;
}

/** A change that the program may want to hear of. */
export type HealthChange =
  | ({ readonly kind: 'readiness' } & ReadinessChange)
  | ({ readonly kind: 'check' } & CheckTransition)
  | { readonly kind: 'drain'; readonly progress: DrainProgress };

/** The health of this process: what `createHealth` returns. */
export interface Health extends AsyncDisposable, WorkerHost {
  /**
   * Opens the probe listeners, then starts checks, guards and the start-up budget. Until start-up is complete
   * readiness says `starting`. Without a start-up task by the next turn of the event loop it is complete at once.
   * @throws HaleError `HALE_PORT_IN_USE`, `HALE_LISTEN_FAILED`, `HALE_PROBE_THREAD_FAILED`, `HALE_DISPOSED`.
   */
  start(): Promise<readonly BoundAddress[]>;
  /** Registers a part of initialisation that start-up waits for. @throws OptionError on a bad or taken name, or a bad option. */
  startupTask(name: string, options?: StartupTaskOptions): StartupTask;
  /**
   * Registers a warm-up gate: start-up waits until there is enough of something, such as entries in a cache.
   * @throws OptionError on a bad name or option.
   */
  warmUp(name: string, options: WarmUpOptions): void;
  /** Declares start-up complete, whatever tasks are left. */
  started(): void;
  /**
   * Waits until start-up is complete, but no longer than so many milliseconds; `false` when the time was up first.
   * @throws OptionError on a time that is no duration.
   */
  untilStarted(withinMs: number): Promise<boolean>;
  /**
   * Adds a check at run time.
   * @throws OptionError on bad options.
   * @throws HaleError `HALE_CHECK_EXISTS`.
   */
  addCheck(name: string, check: CheckRun | Check): void;
  /**
   * Removes a check; resolves once it has released what it held.
   * @throws HaleError `HALE_CHECK_UNKNOWN`, or `HALE_STATE` for a member of a group, whose quorum counts on it.
   */
  removeCheck(name: string): Promise<void>;
  /**
   * Watches a part of the program that must keep moving; liveness fails with its name when it does not.
   * @throws OptionError on a bad name or bound.
   * @throws HaleError `HALE_TOO_MANY`.
   */
  progress(name: string, options: ProgressOptions): Progress;
  /**
   * Watches a consumer by its jobs: silent with a full queue is stalled, silent with an empty one is idle.
   * @throws OptionError on a bad name or option.
   * @throws HaleError `HALE_TOO_MANY`.
   */
  queueProgress(name: string, options: QueueProgressOptions): QueueProgress;
  /**
   * Registers a consumer of jobs: it takes none while starting, draining, in maintenance or while a critical
   * dependency is down. At the end its jobs finish, or are given back shortly before the deadline.
   * @throws OptionError on a bad name or option.
   * @throws HaleError `HALE_TOO_MANY`.
   */
  worker(name: string, adapter: WorkerAdapter, options?: WorkerOptions): WorkerHandle;
  /**
   * Lets a lease of `createLease()` join: it is acquired once the process has started, readiness fails while it is missing,
   * and the drain releases it when work has stopped. The returned function takes it out, without release.
   * @throws OptionError when it is no lease, or has joined already.
   * @throws HaleError `HALE_STATE` when it was started before; `HALE_KILL_SWITCH_UNAVAILABLE` on Bun and Deno as process 1,
   * where nothing could end the process at its deadline.
   */
  lease(lease: LeaseParticipant): () => void;
  /** Declares the process unrecoverable: liveness and readiness fail from now on, for good. */
  fatal(reason: string): void;
  /** Takes the instance out of rotation by hand, or back in. */
  maintenance(on: boolean): void;
  /**
   * Lets a server take part in the drain (http, https, http2, a `WebSocketServer` of `ws`); register it before it
   * listens. The returned function takes it out again.
   * @throws OptionError when it is no such server, or on a bad option.
   */
  drains(server: DrainableServer, options?: DrainsOptions): () => void;
  /**
   * Registers a response that does not end by itself, such as server-sent events. The returned signal aborts once
   * nobody needs it any more: its client has left, or the drain ends it.
   * @throws OptionError on a bad option.
   */
  stream(response: StreamLike, options?: StreamOptions): AbortSignal;
  /**
   * Asks whether one more request may be worked on: `done()` ends it, and a refusal says when to come back.
   * @throws OptionError when neither `admission.limit` nor `capacity.leaveAt` is set.
   */
  admit(): AdmissionResult;
  /**
   * A middleware that answers 503 with `Retry-After`, before any work, when too many requests are being worked on.
   * @throws OptionError when neither `admission.limit` nor `capacity.leaveAt` is set.
   */
  admission(): AdmissionMiddleware;
  /** Counts work by hand, so that a drain waits for it; call the returned function when it ends. */
  working(label: string): () => void;
  /** Registers something to end at shutdown, in the reverse order of registration. */
  onShutdown(name: string, hook: DrainHook, options?: DrainHookOptions): () => void;
  /**
   * Resolves once readiness passes or warns; a worker waits here while a critical dependency is down.
   * @throws HaleError `HALE_ABORTED` when the signal aborts, `HALE_STATE` once the process drains.
   */
  untilReady(signal?: AbortSignal): Promise<void>;
  /** Which paths answer which probe, as `probes.paths` and `probes.aliases` say. */
  readonly probePaths: ProbePaths;
  /** Where this process is in its life. */
  readonly phase: Phase;
  /**
   * Answers a probe request as the probe port would, for a server or a fetch-style handler of yours. Never throws or
   * rejects. The answer comes from this thread, so while its loop is blocked there is none: leave liveness to the probe
   * port where there is one. `/metrics` tells the answers given here.
   */
  handle(request: ProbeRequest): ProbeResponse | Promise<ProbeResponse>;
  /** Runs on-demand checks that have no fresh result; a thousand callers cause one run. */
  evaluate(): Promise<void>;
  /** What hale knows now. */
  report(): Report;
  /**
   * Every metric that `/metrics` tells, as data, for `hale/opentelemetry`, `hale/prom-client` or an exporter of your own.
   * Never rejects; while the probe thread does not answer, what only it knows is left out.
   */
  metrics(): Promise<readonly MetricReading[]>;
  /**
   * Calls back at each change of readiness or of a check, and as the drain gets on; the returned function ends it. What
   * a listener throws, or rejects with when it is asynchronous, is logged.
   */
  onChange(listener: (change: HealthChange) => unknown): () => void;
  /**
   * The same changes for `for await`, from now on, until the signal aborts, `dispose()` or the reader leaves. It does not keep
   * the process alive. Subscribers to `hale:change` of `node:diagnostics_channel` are told too, as `{ health, change }`.
   * @throws OptionError on a limit out of range.
   */
  changes(options?: ChangesOptions): ChangeStream<HealthChange>;
  /**
   * Drains: readiness fails at once, servers go on for the propagation delay, in-flight work ends, hooks run. Ends
   * the process afterwards if hale handles its signals, otherwise resolves with the result. Idempotent.
   */
  shutdown(reason?: string): Promise<DrainResult>;
  /** Stops everything without draining: no timer, listener, socket or thread is left. Idempotent, never rejects. */
  dispose(): Promise<void>;
}
