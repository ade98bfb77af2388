import type { Clock, Timer } from '../core/clock.js';
import type { SystemdNotify } from '../core/probe-options.js';
import {
  EXTEND_EVERY_MS,
  type SystemdFields,
  type SystemdView,
  WATCHDOG_PING,
  encodeSystemd,
  extendStartup,
  pingEveryMs,
  systemdState,
} from '../protocol/systemd.js';
import type { ProbeOutput } from './probe-output.js';
import type { SystemdSend } from './systemd-transport.js';

export interface SystemdNotifierOptions {
  readonly notify: Pick<SystemdNotify, 'watchdogMs' | 'watchdogPid' | 'stopWithinMs'>;
  readonly view: () => SystemdView;
  readonly send: SystemdSend;
  readonly pid: number;
  readonly clock: Pick<Clock, 'setTimeout'>;
  /** A message did not get away; told once until one does. */
  readonly onError: (error: unknown) => void;
}

const RETRY_AFTER_MS = 1000;

/**
 * Creates what keeps systemd informed: each change once, and signs of life only while liveness passes, so that a
 * blocked main loop ends them.
 */
export function createSystemdNotifier(options: SystemdNotifierOptions): ProbeOutput {
  return new SystemdNotifier(options);
}

class SystemdNotifier implements ProbeOutput {
  readonly #options: SystemdNotifierOptions;
  readonly #timers = new Map<() => void, Timer>();
  /** The values last told, or on their way. */
  readonly #told = new Map<string, string>();
  /** One message at most waits while another is under way; of a variable that changes twice the last value counts. */
  readonly #waiting = new Map<string, string>();
  #sending: Promise<void> | undefined;
  #failed = false;
  #closed = false;

  constructor(options: SystemdNotifierOptions) {
    this.#options = options;
    const { watchdogMs, watchdogPid = options.pid } = options.notify;
    if (!this.#view().startup.complete) this.#repeat(EXTEND_EVERY_MS, () => this.#extend());
    if (watchdogMs === undefined) return;
    if (watchdogPid === options.pid) this.#repeat(pingEveryMs(watchdogMs), () => this.#ping());
    else options.onError(new Error(foreignWatchdog(watchdogPid, options.pid)));
  }

  look(): void {
    const { notify } = this.#options;
    for (const [name, value] of Object.entries(systemdState(this.#view(), notify.stopWithinMs))) {
      if (this.#told.get(name) === value) continue;
      this.#told.set(name, value);
      this.#waiting.set(name, value);
    }
    this.#flush();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers.values()) timer.clear();
    this.#timers.clear();
    await this.#sending;
  }

  #view(): SystemdView {
    return this.#options.view();
  }

  /** Runs the action now, and again and again until it says that it is over. */
  #repeat(everyMs: number, action: () => boolean): void {
    const run = (): void => {
      this.#timers.set(run, this.#options.clock.setTimeout(run, everyMs));
      if (action()) return;
      this.#timers.get(run)?.clear();
      this.#timers.delete(run);
    };
    run();
  }

  #extend(): boolean {
    const view = this.#view();
    this.#queue(extendStartup(view));
    return !view.startup.complete;
  }

  #ping(): boolean {
    const { startup, liveness } = this.#view();
    if (startup.complete && liveness.status !== 'fail') this.#queue(WATCHDOG_PING);
    return true;
  }

  #queue(fields: SystemdFields): void {
    for (const [name, value] of Object.entries(fields)) this.#waiting.set(name, value);
    this.#flush();
  }

  #flush(): void {
    if (this.#sending !== undefined || this.#waiting.size === 0 || this.#closed) return;
    const fields = Object.fromEntries(this.#waiting);
    this.#waiting.clear();
    this.#sending = this.#options.send(encodeSystemd(fields)).then(
      () => this.#sent(),
      (error: unknown) => this.#lost(fields, error),
    );
  }

  #sent(): void {
    this.#sending = undefined;
    this.#failed = false;
    this.#flush();
  }

  /** Told again a little later, unless there is something newer to tell; a sign of life is not made up for. */
  #lost(fields: SystemdFields, error: unknown): void {
    if (!this.#failed) this.#options.onError(error);
    this.#failed = true;
    for (const [name, value] of Object.entries(fields)) {
      if (name in WATCHDOG_PING || this.#waiting.has(name)) continue;
      this.#waiting.set(name, value);
    }
    const retry = (): void => {
      this.#timers.delete(retry);
      this.#sending = undefined;
      this.#flush();
    };
    if (!this.#closed) {
      this.#timers.set(retry, this.#options.clock.setTimeout(retry, RETRY_AFTER_MS));
    }
  }
}

function foreignWatchdog(of: number, pid: number): string {
  return (
    `systemd expects signs of life from process ${of}, not from this one (${pid}), and gets none: ` +
    'start node directly in ExecStart=, without npm or a shell in between'
  );
}
