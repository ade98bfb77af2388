import type { Clock, Random } from '../core/clock.js';
import { HaleError, OptionError } from '../core/errors.js';
import type { KillSwitch, LeaseDeadline } from '../core/kill-switch.js';
import type { LeaseExit, LeaseParticipant, LeaseView } from '../core/lease-host.js';
import type { Logger } from '../core/logger.js';
import { settlesWithin } from './bounded.js';
import type { Drain } from './drain.js';
import type { DrainHooks } from './drain-hooks.js';
import type { GateKeeper } from './gates.js';

export interface LeasesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly gates: GateKeeper;
  readonly hooks: DrainHooks;
  readonly drain: Pick<Drain, 'crash' | 'underWay'>;
  /** Work that has not ended, as far as the drain knows. */
  openWork(): readonly string[];
  /** Ends the process. */
  exit(code: number): void;
  /** Always told the earliest deadline before a lease is used. */
  readonly killSwitch: KillSwitch;
}

/** The leases of this process: in readiness, in the drain, and a reason to exit (H2). */
export interface Leases {
  /**
   * Lets a lease join; it is acquired once the process has started. The returned function takes it out, without release.
   * @throws OptionError when it is no lease, or has joined already.
   * @throws HaleError `HALE_STATE` when it was started before; `HALE_KILL_SWITCH_UNAVAILABLE` where nothing could end the
   * process at the lease's deadline.
   */
  add(lease: LeaseParticipant): () => void;
  start(): void;
  views(): readonly LeaseView[];
  dispose(): void;
}

/** Creates an empty set. */
export function createLeases(options: LeasesOptions): Leases {
  return new LeaseSet(options);
}

class LeaseSet implements Leases {
  readonly #options: LeasesOptions;
  readonly #leases = new Map<LeaseParticipant, () => void>();
  readonly #missing = new Set<LeaseParticipant>();
  readonly #deadlines = new Map<LeaseParticipant, number>();
  #started = false;
  #disposed = false;
  /** When the process exits at the latest. */
  #exitBy = Infinity;
  #exited = false;

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  add(lease: LeaseParticipant): () => void {
    if (typeof lease?.start !== 'function' || typeof lease.release !== 'function')
      throw new OptionError('lease', 'a lease made by createLease()', lease);
    if (this.#leases.has(lease))
      throw new OptionError('lease', 'a lease that has not joined', lease);
    if (this.#disposed) throw new HaleError('HALE_DISPOSED', 'lease() after dispose()');
    this.#options.killSwitch.admit();
    if (this.#started) this.#start(lease);
    else this.#setMissing(lease, true);
    const unhook = this.#options.hooks.add(
      `lease ${lease.name}`,
      (signal) => this.#release(lease, signal),
      {
        stage: 'lease_release',
        independent: true,
      },
    );
    this.#leases.set(lease, unhook);
    return () => this.#remove(lease);
  }

  start(): void {
    this.#started = true;
    for (const lease of this.#leases.keys()) this.#start(lease);
  }

  views(): readonly LeaseView[] {
    return [...this.#leases.keys()].map((lease) => lease.view());
  }

  dispose(): void {
    this.#disposed = true;
    for (const lease of [...this.#leases.keys()]) this.#remove(lease);
  }

  #start(lease: LeaseParticipant): void {
    const { clock, random, logger, killSwitch } = this.#options;
    killSwitch.arm();
    lease.start({
      clock,
      random,
      logger,
      setMissing: (missing) => this.#setMissing(lease, missing),
      setDeadline: (at) => this.#setDeadline(lease, at),
      exit: (exit) => this.#exit(exit),
    });
  }

  #remove(lease: LeaseParticipant): void {
    const unhook = this.#leases.get(lease);
    if (unhook === undefined) return;
    this.#leases.delete(lease);
    unhook();
    lease.stop();
    if (!this.#disposed) this.#setMissing(lease, false);
  }

  #setMissing(lease: LeaseParticipant, missing: boolean): void {
    if (lease.impact !== 'critical' || this.#disposed) return;
    if (missing) this.#missing.add(lease);
    else this.#missing.delete(lease);
    const { gates } = this.#options;
    const leaseLost = this.#missing.size > 0;
    if (gates.current.leaseLost !== leaseLost) gates.set({ leaseLost });
  }

  #setDeadline(lease: LeaseParticipant, at: number | undefined): void {
    if (at === undefined) this.#deadlines.delete(lease);
    else this.#deadlines.set(lease, at);
    this.#options.killSwitch.set(this.#earliest());
  }

  #earliest(): LeaseDeadline | undefined {
    let earliest: LeaseDeadline | undefined;
    for (const [{ name }, at] of this.#deadlines)
      if (earliest === undefined || at < earliest.at) earliest = { at, lease: name };
    return earliest;
  }

  /** Work has stopped, or was cut: only a lease whose work is known to have stopped may be another's at once. */
  async #release(lease: LeaseParticipant, signal: AbortSignal): Promise<void> {
    const open = this.#options.openWork();
    if (open.length === 0) return lease.release(signal);
    const fields = { event: 'lease_kept', lease: lease.name, open };
    const text = `lease "${lease.name}" is left to expire: work may still run (${open.join('; ')})`;
    this.#options.logger.warn(fields, text);
    const deadline = this.#deadlines.get(lease);
    lease.stop();
    // The registry still has this process for the holder: it must have ended before that changes.
    this.#setDeadline(lease, deadline);
  }

  #exit(given: LeaseExit): void {
    if (this.#disposed || given.exitBy >= this.#exitBy) return;
    const isFirst = this.#exitBy === Infinity;
    this.#exitBy = given.exitBy;
    const { clock, drain, logger } = this.#options;
    const fields = { event: 'lease_exit', reason: given.reason };
    logger.error(fields, `exiting: ${given.reason}`);
    const leftMs = Math.max(0, given.exitBy - clock.now());
    // The process ends by this exit, with this code, not because nothing keeps it.
    const alive = { keepsProcessAlive: true };
    if (!isFirst) {
      // Another lease that has less time left; what is waited for stays the same.
      clock.setTimeout(() => this.#end(), leftMs, alive);
      return;
    }
    const drained = given.drain ? drain.crash(given.reason) : undefined;
    const ended = (): Promise<unknown> => Promise.all([given.fenced, drained]);
    void settlesWithin(clock, leftMs, ended, alive).then(() => this.#end());
  }

  #end(): void {
    if (this.#exited) return;
    this.#exited = true;
    this.#options.exit(1);
  }
}
