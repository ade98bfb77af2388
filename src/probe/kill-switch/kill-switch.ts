import type { Worker } from 'node:worker_threads';
import type { Board } from '../../core/board.js';
import type { Clock, Timer } from '../../core/clock.js';
import { errorText } from '../../core/error-text.js';
import { HaleError } from '../../core/errors.js';
import type { KillSwitch, LeaseDeadline } from '../../core/kill-switch.js';
import type { Logger } from '../../core/logger.js';
import { createRestarts } from '../restarts.js';
import { threadSource as embeddedSource } from './kill-source.generated.js';
import type { KillThreadData } from './run-kill-thread.js';
import { type Runtime, thisRuntime } from './runtime.js';

export interface KillSwitchOptions {
  readonly board: Board;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `false` only says what is missing. */
  readonly enabled: boolean;
  /** Whether the clock is the one that a thread can read too. */
  readonly realTime: boolean;
  /** @defaultValue the runtime of this process */
  readonly runtime?: Runtime;
  /** JavaScript of the thread. @defaultValue the one built into the package */
  readonly threadSource?: string;
}

/** A kill switch and its end. */
export interface OwnKillSwitch extends KillSwitch {
  /** Ends the thread; idempotent, never rejects. */
  dispose(): Promise<void>;
}

/** It sleeps, and writes one line: a leak here must end the thread, not the process. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };

const DANGER =
  'a process whose main loop is blocked outlives its lease, and only a guarded resource stops its writes';

/**
 * Creates the switch; nothing runs before a lease is asked for. It has a thread of its own, because the one that answers
 * probes writes logs and may be blocked by whoever does not read them.
 */
export function createKillSwitch(options: KillSwitchOptions): OwnKillSwitch {
  return new ThreadKillSwitch(options);
}

class ThreadKillSwitch implements OwnKillSwitch {
  readonly #options: KillSwitchOptions;
  readonly #runtime: Runtime;
  readonly #restarts: { nextDelayMs(): number | undefined };
  #armed = false;
  #worker: Worker | undefined;
  #timer: Timer | undefined;
  #disposed: Promise<void> | undefined;

  constructor(options: KillSwitchOptions) {
    this.#options = options;
    this.#runtime = options.runtime ?? thisRuntime();
    this.#restarts = createRestarts(options.clock);
  }

  admit(): void {
    const { enabled, realTime } = this.#options;
    const { name, pid } = this.#runtime;
    if (!enabled || !realTime || name === 'node' || pid !== 1) return;
    const text =
      `${name} as process 1 of a container cannot be ended when its lease is over while its main loop is blocked: ` +
      'start it through an init (docker run --init, tini, or shareProcessNamespace in Kubernetes), ' +
      'or do without (leases.killSwitch: false, HALE_KILL_SWITCH=off)';
    throw new HaleError('HALE_KILL_SWITCH_UNAVAILABLE', text);
  }

  arm(): void {
    if (this.#armed || this.#disposed !== undefined) return;
    this.#armed = true;
    const { enabled, realTime, logger } = this.#options;
    if (!enabled) logger.warn({ event: 'kill_switch_off' }, `the kill switch is off: ${DANGER}`);
    else if (!realTime) this.#missing('the clock is not the one of the system');
    else this.#start();
  }

  set(deadline: LeaseDeadline | undefined): void {
    const { board, clock } = this.#options;
    // The thread may not have looked since it was told to end.
    if (this.#disposed !== undefined) return;
    if (deadline === undefined) return board.leaseDeadline.clear();
    const now = clock.now();
    const bootAheadMs = (clock.uptimeMs?.() ?? now) - now;
    board.leaseDeadline.set({ at: deadline.at, bootAheadMs }, deadline.lease);
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#close();
    return this.#disposed;
  }

  #start(): void {
    try {
      this.#worker = this.#spawn();
    } catch (error) {
      this.#missing(reasonOf(error));
      return;
    }
    const worker = this.#worker;
    let failure = 'its thread ended';
    worker.on('error', (error) => (failure = errorText(error)));
    worker.once('exit', () => this.#onExit(failure));
    // Last: a listener that is added later would keep the process alive.
    worker.unref();
  }

  #spawn(): Worker {
    const { clock, board, threadSource = embeddedSource } = this.#options;
    const workerData: KillThreadData = {
      board: board.buffer,
      ...(this.#runtime.name === 'node' ? {} : { wallAheadMs: clock.wallNow() - clock.now() }),
    };
    const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
    return new Thread(threadSource, {
      eval: true,
      name: 'hale-kill-switch',
      workerData,
      // As for the probe thread: a preload of the application has no business here.
      execArgv: [],
      env: {},
      resourceLimits: RESOURCE_LIMITS,
    });
  }

  #onExit(failure: string): void {
    this.#worker = undefined;
    if (this.#disposed !== undefined) return;
    const delayMs = this.#restarts.nextDelayMs();
    if (delayMs === undefined) this.#missing(`${failure}, again and again`);
    else this.#timer = this.#options.clock.setTimeout(() => this.#start(), delayMs);
  }

  /** The main loop still ends the process at the deadline, if it turns. */
  #missing(why: string): void {
    const { logger } = this.#options;
    logger.error({ event: 'kill_switch_missing', why }, `no kill switch (${why}): ${DANGER}`);
  }

  async #close(): Promise<void> {
    this.#timer?.clear();
    const worker = this.#worker;
    this.#options.board.leaseDeadline.close();
    if (worker === undefined) return;
    worker.ref();
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
    });
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  const advice = code === 'ERR_ACCESS_DENIED' ? ': allow workers with --allow-worker' : '';
  return `${errorText(error)}${advice}`;
}
