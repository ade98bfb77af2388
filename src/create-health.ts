import { type Changes, createChanges } from './changes.js';
import type { Clock } from './core/clock.js';
import type { DrainProgress } from './core/drain-progress.js';
import { HaleError } from './core/errors.js';
import { createGuard } from './core/guard.js';
import type { HealthOptions } from './core/health-options.js';
import { type ThrottledLogger, createThrottledLogger } from './core/log-throttle.js';
import { errorText } from './core/error-text.js';
import type { Phase } from './core/phase.js';
import type { BoundAddress } from './core/probe-host.js';
import { createRedactor } from './core/redact.js';
import { resolveCheck } from './core/resolve-check.js';
import { type ResolvedOptions, resolveOptions } from './core/resolve-options.js';
import { createSafeLogger } from './core/safe-logger.js';
import { objectOption } from './core/validate.js';
import type { AdmissionMiddleware, AdmissionResult } from './engine/admission.js';
import type { DrainTerminal } from './engine/drain-terminal.js';
import { type Engine, createEngine } from './engine/engine.js';
import { processEnv, systemProcess } from './engine/process-port.js';
import { exitAfter, handleSignals } from './engine/signals.js';
import { systemClock } from './engine/system-clock.js';
import type { Health, Report } from './health.js';
import { createHostEvents } from './host-events.js';
import type { ProbePaths } from './core/probe-options.js';
import type { AnsweringHost } from './probe/answering-host.js';
import type { ProbeRequest } from './probe/handler.js';
import { createInlineHost } from './probe/inline-host.js';
import { type OwnKillSwitch, createKillSwitch } from './probe/kill-switch/kill-switch.js';
import { createThreadHost } from './probe/thread-host.js';
import { drainTerminal, stderrLogger } from './stderr.js';

/**
 * Creates the health of this process. Nothing runs, listens or is installed before `start()`.
 * @throws OptionError naming the option, the accepted range and the value got.
 * @throws HaleError `HALE_GUARD_ASYNC` when a guard returns a promise.
 */
export function createHealth(options: HealthOptions = {}): Health {
  return new ProcessHealth(objectOption('options', options));
}

class ProcessHealth implements Health {
  readonly #resolved: ResolvedOptions;
  readonly #logger: ThrottledLogger;
  readonly #redact: (text: string) => string;
  readonly #host: AnsweringHost;
  readonly #killSwitch: OwnKillSwitch;
  readonly #engine: Engine;
  readonly #clock: Clock;
  #terminal: { readonly view: DrainTerminal | undefined } | undefined;
  readonly #changes: Changes;
  #releaseSignals: (() => void) | undefined;
  #started: Promise<readonly BoundAddress[]> | undefined;
  #disposed: Promise<void> | undefined;

  constructor(options: HealthOptions) {
    const clock = options.clock ?? systemClock;
    this.#clock = clock;
    const redact = createRedactor(options.redactKeys);
    this.#redact = redact;
    const env = options.env ?? processEnv();
    this.#resolved = resolveOptions(options, env);
    const safe = createSafeLogger(options.logger ?? stderrLogger(clock), redact);
    this.#logger = createThrottledLogger(safe, clock);
    this.#changes = createChanges(this, this.#logger);
    this.#host = this.#createHost(options, clock);
    this.#killSwitch = createKillSwitch({
      board: this.#host.board,
      clock,
      logger: this.#logger,
      enabled: this.#resolved.killSwitch,
      realTime: clock === systemClock,
    });
    this.#engine = createEngine({
      resolved: this.#resolved,
      env,
      guards: Object.entries(options.liveness?.guards ?? {}).map(([name, guard]) =>
        createGuard(name, guard),
      ),
      clock,
      random: options.random ?? Math.random,
      logger: this.#logger,
      redact,
      host: this.#host,
      killSwitch: this.#killSwitch,
      onCheckTransition: (transition) => this.#changes.tell({ kind: 'check', ...transition }),
      onReadinessChange: (change) => this.#changes.tell({ kind: 'readiness', ...change }),
      onDrainProgress: (progress) => this.#tellDrain(progress),
      onStartupTimeout: () => this.#onStartupTimeout(),
    });
  }

  start(): Promise<readonly BoundAddress[]> {
    this.#started ??= this.#start().catch((error: unknown) => {
      // The port may be free at the next attempt.
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  startupTask(
    ...[name, options]: Parameters<Health['startupTask']>
  ): ReturnType<Health['startupTask']> {
    return this.#engine.startup.task(name, options);
  }

  warmUp(...[name, options]: Parameters<Health['warmUp']>): void {
    this.#engine.startup.warmUp(name, options);
  }

  started(): void {
    this.#engine.startup.started();
  }

  untilStarted(withinMs: number): Promise<boolean> {
    return this.#engine.startup.untilComplete(withinMs);
  }

  addCheck(...[name, check]: Parameters<Health['addCheck']>): void {
    this.#engine.checks.add(resolveCheck(name, check, this.#resolved.checkDefaults));
  }

  removeCheck(name: string): Promise<void> {
    return this.#engine.removeCheck(name);
  }

  progress(...[name, options]: Parameters<Health['progress']>): ReturnType<Health['progress']> {
    return this.#engine.progress.add(name, options);
  }

  queueProgress(
    ...[name, options]: Parameters<Health['queueProgress']>
  ): ReturnType<Health['queueProgress']> {
    return this.#engine.queues.add(name, options);
  }

  worker(...[name, adapter, options]: Parameters<Health['worker']>): ReturnType<Health['worker']> {
    return this.#engine.workers.add(name, adapter, options);
  }

  lease(...[lease]: Parameters<Health['lease']>): () => void {
    return this.#engine.leases.add(lease);
  }

  fatal(reason: string): void {
    // JavaScript callers hand over the error itself.
    const text = this.#redact(errorText(reason));
    this.#logger.error({ event: 'fatal', reason: text }, `declared unrecoverable: ${text}`);
    this.#engine.gates.set({ fatal: text });
  }

  maintenance(on: boolean): void {
    this.#engine.gates.set({ maintenance: on });
  }

  drains(...[server, options]: Parameters<Health['drains']>): () => void {
    return this.#engine.shutdown.targets.add(server, options);
  }

  stream(...[response, options]: Parameters<Health['stream']>): AbortSignal {
    return this.#engine.shutdown.streams.add(response, options);
  }

  admit(): AdmissionResult {
    return this.#engine.admission.admit();
  }

  admission(): AdmissionMiddleware {
    return this.#engine.admission.middleware();
  }

  working(label: string): () => void {
    return this.#engine.shutdown.inFlight.begin(label);
  }

  onShutdown(...[name, hook, options]: Parameters<Health['onShutdown']>): () => void {
    return this.#engine.shutdown.hooks.add(name, hook, options);
  }

  untilReady(signal?: AbortSignal): Promise<void> {
    return this.#engine.readiness.untilReady(signal);
  }

  handle(request: ProbeRequest): ReturnType<Health['handle']> {
    return this.#host.handler.handle(request);
  }

  get probePaths(): ProbePaths {
    return this.#resolved.probes.paths;
  }

  get phase(): Phase {
    return this.#host.board.phase();
  }

  evaluate(): Promise<void> {
    return this.#engine.checks.evaluate();
  }

  report(): Report {
    const { readiness, state } = this.#engine;
    readiness.look();
    return {
      phase: this.phase,
      readiness: readiness.current,
      liveness: this.#engine.liveness(),
      startup: this.#engine.startup.view(),
      checks: [...state.checks.values()],
      inFlight: this.#host.board.inFlight(),
    };
  }

  metrics(): ReturnType<Health['metrics']> {
    return this.#host.metrics();
  }

  onChange(listener: Parameters<Health['onChange']>[0]): () => void {
    return this.#changes.listen(listener);
  }

  changes(...[options]: Parameters<Health['changes']>): ReturnType<Health['changes']> {
    return this.#changes.stream(options);
  }

  shutdown(reason = 'shutdown'): ReturnType<Health['shutdown']> {
    // JavaScript callers pass on whatever an event hands them.
    const text = typeof reason === 'string' ? reason : errorText(reason);
    const drained = this.#engine.shutdown.drain.begin(text);
    if (this.#releaseSignals !== undefined) exitAfter(systemProcess, drained);
    return drained;
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async #start(): Promise<readonly BoundAddress[]> {
    if (this.#disposed !== undefined)
      throw new HaleError('HALE_DISPOSED', 'start() after dispose()');
    // First of all: without a listener, process 1 of a container does not even end by SIGTERM.
    if (this.#resolved.signals) this.#handleSignals();
    const addresses = await this.#listen();
    // Disposed while the listeners were being bound: the host is closed by dispose(), and nothing else may start.
    if (this.#isDisposed()) throw new HaleError('HALE_DISPOSED', 'disposed while starting');
    this.#engine.start();
    return addresses;
  }

  async #listen(): Promise<readonly BoundAddress[]> {
    try {
      return await this.#host.start();
    } catch (error) {
      this.#stopHandlingSignals();
      throw error;
    }
  }

  #isDisposed(): boolean {
    return this.#disposed !== undefined;
  }

  #handleSignals(): void {
    const { drain, open } = this.#engine.shutdown;
    this.#releaseSignals = handleSignals({
      ...this.#resolved.shutdown,
      process: systemProcess,
      drain,
      open,
      logger: this.#logger,
    });
  }

  #stopHandlingSignals(): void {
    this.#releaseSignals?.();
    this.#releaseSignals = undefined;
  }

  async #dispose(): Promise<void> {
    this.#stopHandlingSignals();
    this.#terminal?.view?.dispose();
    this.#changes.dispose();
    const all = [this.#engine, this.#host, this.#killSwitch];
    await Promise.all(all.map((part) => part.dispose()));
    this.#logger.flush();
  }

  #createHost({ redactKeys, systemd }: HealthOptions, clock: Clock): AnsweringHost {
    const { probes } = this.#resolved;
    const logger = this.#logger;
    const events = createHostEvents({ evaluate: () => this.evaluate(), systemd, logger });
    const shared = { options: probes, clock, events, logger };
    if (probes.isolation === 'inline') return createInlineHost(shared);
    return createThreadHost({ ...shared, ...(redactKeys === undefined ? {} : { redactKeys }) });
  }

  #onStartupTimeout(): void {
    // A drain that has begun ends the process in its own time.
    const leaving = this.#engine.shutdown.drain.underWay;
    if (this.#resolved.startup.onTimeout === 'exit' && !leaving) systemProcess.exit(1);
  }

  #tellDrain(progress: DrainProgress): void {
    // Looked for at the first word only: a process that just runs need not load node:tty.
    this.#terminal ??= {
      view: drainTerminal(this.#clock, this.#resolved, () => this.#engine.shutdown.open()),
    };
    this.#terminal.view?.tell(progress);
    // The process may end with it.
    if (progress.kind === 'end') this.#logger.flush();
    this.#changes.tell({ kind: 'drain', progress });
  }
}
