import { writeSync } from 'node:fs';
import type { Clock } from './core/clock.js';
import { HaleError } from './core/errors.js';
import { createGuard } from './core/guard.js';
import type { HealthOptions } from './core/health-options.js';
import type { Logger } from './core/logger.js';
import { errorText } from './core/outcome.js';
import type { BoundAddress, ProbeHost, ProbeHostEvents } from './core/probe-host.js';
import type { ServiceInfo } from './core/probe-state.js';
import { createRedactor } from './core/redact.js';
import { resolveCheck } from './core/resolve-check.js';
import { type ResolvedOptions, resolveOptions } from './core/resolve-options.js';
import { createSafeLogger } from './core/safe-logger.js';
import { type Engine, createEngine } from './engine/engine.js';
import { systemProcess } from './engine/process-port.js';
import { exitAfter, handleSignals } from './engine/signals.js';
import { systemClock } from './engine/system-clock.js';
import type { Health, HealthChange, Report } from './health.js';
import { createJsonLogger } from './observe/json-logger.js';
import { createInlineHost } from './probe/inline-host.js';
import { createThreadHost } from './probe/thread-host.js';

/**
 * Creates the health of this process. Nothing runs, listens or is installed before `start()`.
 * @throws OptionError naming the option, the accepted range and the value got.
 * @throws HaleError `HALE_GUARD_ASYNC` when a guard returns a promise.
 */
export function createHealth(options: HealthOptions = {}): Health {
  return new ProcessHealth(options);
}

class ProcessHealth implements Health {
  readonly #resolved: ResolvedOptions;
  readonly #logger: Logger;
  readonly #host: ProbeHost;
  readonly #engine: Engine;
  readonly #listeners = new Set<(change: HealthChange) => void>();
  #releaseSignals: (() => void) | undefined;
  #started: Promise<readonly BoundAddress[]> | undefined;
  #disposed: Promise<void> | undefined;

  constructor(options: HealthOptions) {
    const clock = options.clock ?? systemClock;
    const redact = createRedactor(options.redactKeys);
    this.#resolved = resolveOptions(options, options.env ?? process.env);
    this.#logger = createSafeLogger(options.logger ?? stderrLogger(clock), redact);
    this.#host = this.#createHost(options, clock);
    this.#engine = createEngine({
      resolved: this.#resolved,
      service: serviceOf(options),
      guards: Object.entries(options.liveness?.guards ?? {}).map(([name, guard]) =>
        createGuard(name, guard),
      ),
      clock,
      random: options.random ?? Math.random,
      logger: this.#logger,
      redact,
      host: this.#host,
      onCheckTransition: (transition) => this.#tell({ kind: 'check', ...transition }),
      onReadinessChange: (change) => this.#tell({ kind: 'readiness', ...change }),
      onStartupTimeout: () => this.#onStartupTimeout(),
    });
  }

  start(): Promise<readonly BoundAddress[]> {
    this.#started ??= this.#start();
    return this.#started;
  }

  startupTask(name: string): ReturnType<Health['startupTask']> {
    return this.#engine.startup.task(name);
  }

  started(): void {
    this.#engine.startup.started();
  }

  addCheck(...[name, check]: Parameters<Health['addCheck']>): void {
    this.#engine.checks.add(resolveCheck(name, check, this.#resolved.checkDefaults));
  }

  removeCheck(name: string): Promise<void> {
    return this.#engine.checks.remove(name);
  }

  progress(...[name, options]: Parameters<Health['progress']>): ReturnType<Health['progress']> {
    return this.#engine.progress.add(name, options);
  }

  fatal(reason: string): void {
    this.#logger.error({ event: 'fatal', reason }, `declared unrecoverable: ${reason}`);
    this.#engine.gates.set({ fatal: reason });
  }

  maintenance(on: boolean): void {
    this.#engine.gates.set({ maintenance: on });
  }

  drains(server: Parameters<Health['drains']>[0]): () => void {
    return this.#engine.shutdown.addServer(server);
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

  evaluate(): Promise<void> {
    return this.#engine.checks.evaluate();
  }

  report(): Report {
    const { readiness, state } = this.#engine;
    readiness.look();
    return {
      phase: this.#host.board.phase(),
      readiness: readiness.current,
      liveness: this.#engine.liveness(),
      startup: this.#engine.startup.view(),
      checks: [...state.checks.values()],
      inFlight: this.#host.board.inFlight(),
    };
  }

  onChange(listener: (change: HealthChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  shutdown(reason = 'shutdown'): ReturnType<Health['shutdown']> {
    const drained = this.#engine.shutdown.drain.begin(reason);
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
    const addresses = await this.#host.start();
    // Disposed while the listeners were being bound: the host is closed by dispose(), and nothing else may start.
    if (this.#isDisposed()) throw new HaleError('HALE_DISPOSED', 'disposed while starting');
    this.#engine.start();
    if (this.#resolved.signals) this.#handleSignals();
    return addresses;
  }

  #isDisposed(): boolean {
    return this.#disposed !== undefined;
  }

  #handleSignals(): void {
    const { onUnhandledRejection } = this.#resolved.shutdown;
    const { drain } = this.#engine.shutdown;
    this.#releaseSignals = handleSignals({
      process: systemProcess,
      drain,
      logger: this.#logger,
      onUnhandledRejection,
    });
  }

  async #dispose(): Promise<void> {
    this.#releaseSignals?.();
    this.#releaseSignals = undefined;
    this.#listeners.clear();
    await Promise.all([this.#engine.dispose(), this.#host.dispose()]);
  }

  #createHost({ redactKeys }: HealthOptions, clock: Clock): ProbeHost {
    const { probes } = this.#resolved;
    const shared = { options: probes, clock, events: this.#hostEvents(), logger: this.#logger };
    if (probes.isolation === 'inline') return createInlineHost(shared);
    return createThreadHost({ ...shared, ...(redactKeys === undefined ? {} : { redactKeys }) });
  }

  #hostEvents(): ProbeHostEvents {
    return {
      evaluate: () => this.evaluate(),
      // The probe thread has logged these itself, while the main loop could not.
      onStall() {},
      onStallEnd() {},
      onLivenessFailed() {},
      onError: (error) => {
        const output = errorText(error);
        this.#logger.error(
          { event: 'internal_error', where: 'the probe side', output },
          `hale: ${output}`,
        );
      },
    };
  }

  #onStartupTimeout(): void {
    if (this.#resolved.startup.onTimeout === 'exit') systemProcess.exit(1);
  }

  #tell(change: HealthChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        const output = errorText(error);
        this.#logger.error(
          { event: 'listener_error', output },
          `a listener to onChange threw: ${output}`,
        );
      }
    }
  }
}

function serviceOf({ version, releaseId, serviceId, description }: HealthOptions): ServiceInfo {
  return {
    ...(version === undefined ? {} : { version }),
    ...(releaseId === undefined ? {} : { releaseId }),
    ...(serviceId === undefined ? {} : { serviceId }),
    ...(description === undefined ? {} : { description }),
  };
}

const STDERR = 2;

/** Synchronous, so that the last lines before an exit are not lost. */
function stderrLogger(clock: Clock): Logger {
  return createJsonLogger({ clock, write: (line) => void writeSync(STDERR, line) });
}
