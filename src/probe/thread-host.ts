import type { Worker } from 'node:worker_threads';
import type { AnswerCounts } from '../core/answering-figures.js';
import { createBoard } from '../core/board.js';
import type { Clock, Timer } from '../core/clock.js';
import { HaleError } from '../core/errors.js';
import { type Logger, silentLogger } from '../core/logger.js';
import { type MetricReading, readMetrics } from '../core/metric-readings.js';
import type { BoundAddress, ProbeHostEvents } from '../core/probe-host.js';
import type { ProbeOptions } from '../core/probe-options.js';
import {
  type ProbeState,
  type ProbeUpdate,
  applyUpdate,
  initialProbeState,
} from '../core/probe-state.js';
import { announcePhase } from './announced-phase.js';
import type { AnsweringHost } from './answering-host.js';
import { type LazySampler, createLazySampler } from './diagnosis/lazy-sampler.js';
import { removeFilesAtExit } from './files-at-exit.js';
import { listenError, processManager } from './listen-error.js';
import { type LocalSide, createLocalSide } from './local-side.js';
import { nodeVersion } from './metrics.js';
import type { FromThread, ThreadData, ToThread } from './messages.js';
import { pinPorts } from './pin-ports.js';
import { type Restarts, createRestarts } from './restarts.js';
import { type ThreadReadings, createThreadReadings } from './thread-readings.js';
import { threadSource as embeddedSource } from './thread-source.generated.js';

export interface ThreadHostOptions {
  readonly options: ProbeOptions;
  readonly events: ProbeHostEvents;
  readonly clock: Clock;
  /** JavaScript of the thread. @defaultValue the one built into the package */
  readonly threadSource?: string;
  /** Further keys whose values are redacted from what the thread logs. @defaultValue [] */
  readonly redactKeys?: readonly string[];
  /** For what is answered on this thread. @defaultValue a logger that drops everything */
  readonly logger?: Logger;
}

/** How long the thread may take to finish its answers before it is ended. */
const CLOSE_WAIT_MS = 1000;

/** A probe answers with a few hundred bytes; the limits make a leak end the thread, not the process. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/** Creates the host that answers probes on a thread of its own (E5, L8). */
export function createThreadHost(options: ThreadHostOptions): AnsweringHost {
  return new ThreadHost(options);
}

class ThreadHost implements AnsweringHost {
  // An empty update: whoever follows readiness on the thread looks at the board again.
  readonly board = announcePhase(createBoard(), () => this.#post({ type: 'update', update: {} }));
  readonly #options: ThreadHostOptions;
  readonly #restarts: Restarts;
  readonly #local: LocalSide;
  readonly #readings: ThreadReadings;
  readonly #sampler: LazySampler;
  #probes: ProbeOptions;
  #state: ProbeState = initialProbeState;
  #worker: Worker | undefined;
  #started: Promise<readonly BoundAddress[]> | undefined;
  #restartTimer: Timer | undefined;
  /** Takes the listener off that removes the files at exit. */
  #offExit = (): void => {};
  #disposed: Promise<void> | undefined;

  constructor(options: ThreadHostOptions) {
    this.#options = options;
    this.#probes = options.options;
    this.#restarts = createRestarts(options.clock);
    this.#sampler = createLazySampler(options.clock);
    const { board } = this;
    const state = (): ProbeState => this.#state;
    this.#readings = createThreadReadings({
      clock: options.clock,
      ask: (id) => this.#post({ type: 'metrics', id }),
      fallback: () => this.#knownHere(),
    });
    const onAnswers = (mounted: AnswerCounts): void => this.#tellThread({ state: { mounted } });
    this.#local = createLocalSide({ logger: silentLogger, ...options, board, state, onAnswers });
  }

  get handler(): AnsweringHost['handler'] {
    return this.#local.handler;
  }

  start(): Promise<readonly BoundAddress[]> {
    if (this.#disposed !== undefined) {
      return Promise.reject(new HaleError('HALE_DISPOSED', 'the probe host has been disposed'));
    }
    this.#started ??= this.#launch().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  publish(update: ProbeUpdate): void {
    this.#tellThread(update);
    this.#local.apply(update);
  }

  metrics(): Promise<readonly MetricReading[]> {
    return this.#worker === undefined ? Promise.resolve(this.#knownHere()) : this.#readings.read();
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#close();
    return this.#disposed;
  }

  async #launch(): Promise<readonly BoundAddress[]> {
    const worker = this.#spawn();
    this.#worker = worker;
    // A process that only waits for its probes must not end before they answer.
    worker.ref();
    try {
      const addresses = await this.#listening(worker);
      this.#probes = pinPorts(this.#probes, addresses);
      this.#offExit();
      if (this.#disposed === undefined) this.#offExit = removeFilesAtExit(this.#probes.files);
      worker.unref();
      worker.on('error', (error) => this.#options.events.onError(threadFailed(error)));
      worker.once('exit', () => this.#onExit(worker));
      return addresses;
    } catch (error) {
      this.#worker = undefined;
      await worker.terminate();
      throw error;
    }
  }

  #spawn(): Worker {
    const workerData: ThreadData = {
      options: this.#probes,
      board: this.board.buffer,
      state: this.#state,
      redactKeys: this.#options.redactKeys ?? [],
      inspectable: isInspectable(),
    };
    // Taken here, not imported: only a process that starts its probes needs it.
    const threads = process.getBuiltinModule('node:worker_threads');
    try {
      return new threads.Worker(this.#options.threadSource ?? embeddedSource, {
        eval: true,
        name: 'hale-probes',
        workerData,
        // Neither flags nor NODE_OPTIONS: a preload or loader of the application has no business on this thread.
        execArgv: [],
        env: {},
        resourceLimits: RESOURCE_LIMITS,
      });
    } catch (error) {
      throw threadFailed(error);
    }
  }

  #listening(worker: Worker): Promise<readonly BoundAddress[]> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(threadFailed(error));
      const exited = (code: number): void => fail(new Error(`it ended with code ${code}`));
      worker.once('error', fail);
      worker.once('exit', exited);
      worker.on('message', (message: FromThread) => {
        if (message.type === 'listening') {
          worker.off('error', fail);
          worker.off('exit', exited);
          resolve(message.addresses);
        } else if (message.type === 'listen-failed') {
          reject(listenError(message.failure, processManager()));
        } else this.#receive(message);
      });
    });
  }

  #receive(message: Exclude<FromThread, { type: 'listening' | 'listen-failed' }>): void {
    const { events } = this.#options;
    switch (message.type) {
      case 'evaluate':
        this.#evaluate(message.id);
        break;
      case 'sample':
        this.#sample(message.id);
        break;
      case 'metrics':
        this.#readings.answered(message.id, message.readings);
        break;
      case 'stall':
        events.onStall(message.report);
        break;
      case 'stall-end':
        events.onStallEnd(message.end);
        break;
      case 'liveness-failed':
        events.onLivenessFailed(message.reason);
        break;
      case 'notify':
        events.notify?.(message.message);
        break;
      case 'error':
        events.onError(threadFailed(new Error(message.message)));
        break;
      case 'closed':
        break;
    }
  }

  /** Without the thread nothing is known of what it has answered. */
  #knownHere(): readonly MetricReading[] {
    const now = this.#options.clock.now();
    return readMetrics({ state: this.#state, board: this.board, now, nodeVersion: nodeVersion() });
  }

  #evaluate(id: number): void {
    const { events } = this.#options;
    void events
      .evaluate()
      .catch((error: unknown) => events.onError(error))
      .finally(() => this.#post({ type: 'evaluated', id }));
  }

  #sample(id: number): void {
    this.#sampler.read().then(
      (sample) => this.#post({ type: 'sampled', id, sample }),
      (error: unknown) => this.#options.events.onError(error),
    );
  }

  #tellThread(update: ProbeUpdate): void {
    this.#state = applyUpdate(this.#state, update);
    this.#post({ type: 'update', update });
  }

  #post(message: ToThread): void {
    this.#worker?.postMessage(message);
  }

  #onExit(worker: Worker): void {
    if (this.#worker !== worker || this.#disposed !== undefined) return;
    this.#worker = undefined;
    this.#local.countAnew();
    this.#planRestart();
  }

  #planRestart(): void {
    const delayMs = this.#restarts.nextDelayMs();
    if (delayMs === undefined) {
      const text =
        'the probe thread ended again and again and is not started any more: probes go unanswered';
      this.#options.events.onError(new HaleError('HALE_PROBE_THREAD_FAILED', text));
      return;
    }
    this.#restartTimer = this.#options.clock.setTimeout(() => this.#restart(), delayMs);
  }

  #restart(): void {
    this.#launch().catch((error: unknown) => {
      // The end of a thread that dispose() has ended is no failure.
      if (this.#disposed !== undefined) return;
      this.#options.events.onError(error);
      // A port that was taken meanwhile, say, may be free again.
      this.#planRestart();
    });
  }

  async #close(): Promise<void> {
    this.#restartTimer?.clear();
    this.#offExit();
    this.#sampler.dispose();
    await this.#local.close();
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker === undefined) return;
    worker.ref();
    await this.#closed(worker);
    await worker.terminate();
  }

  /** Resolves when the thread has closed its listeners, has ended, or has had its time. */
  #closed(worker: Worker): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.setTimeout(resolve, CLOSE_WAIT_MS);
      const done = (): void => {
        timer.clear();
        resolve();
      };
      worker.once('exit', done);
      worker.on('message', (message: FromThread) => {
        if (message.type === 'closed') done();
      });
      worker.postMessage({ type: 'close' } satisfies ToThread);
    });
  }
}

/** Node.js ends a process under the permission model that connects an inspector to its main thread all the same. */
function isInspectable(): boolean {
  const permission: typeof process.permission | undefined = process.permission;
  return permission === undefined || permission.has('inspector');
}

function threadFailed(cause: unknown): HaleError {
  const { message, code } = cause as { message?: string; code?: string };
  const advice =
    code === 'ERR_ACCESS_DENIED'
      ? ': allow workers (--allow-worker) or set isolation to "inline"'
      : '';
  return new HaleError('HALE_PROBE_THREAD_FAILED', `probe thread: ${message}${advice}`, { cause });
}
