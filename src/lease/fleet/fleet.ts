import { type BootClock, createBootClock } from '../../core/boot-clock.js';
import type { Timer } from '../../core/clock.js';
import { contain } from '../../core/contain.js';
import { HaleError } from '../../core/errors.js';
import type { LeaseEvent, LeaseWatch } from '../../core/lease-store.js';
import { isInstanceBelow } from '../permits/permit-names.js';
import { createWaiters } from '../waiters.js';
import type { FleetEvent, FleetInstance, FleetView } from './fleet-view.js';
import type { ResolvedFleet } from './resolve-fleet.js';
import { Roster } from './roster.js';

/** What an observer sees of the instances that keep a lease. It watches only: it never ends, fences or replaces one. */
export interface Fleet extends AsyncDisposable {
  /** The instances, by name. */
  list(): readonly FleetInstance[];
  /** The fleet as a whole. */
  view(): FleetView;
  /** Calls back at each event; the returned function ends it. What a listener throws, or rejects with, is logged. */
  watch(listener: (event: FleetEvent) => unknown): () => void;
  /**
   * Resolves once everything is known. The process lives for as long as somebody waits.
   * @throws HaleError `HALE_ABORTED` when the signal aborts, `HALE_DISPOSED` once the fleet is closed
   */
  synced(signal?: AbortSignal): Promise<void>;
  /** Takes a mass loss for real: what is held back is declared down at the next look, within a second. */
  confirmLoss(): void;
  /** Ends the watch; idempotent, never rejects. */
  close(): Promise<void>;
}

const LONGEST_PAUSE_MS = 1000;
/** Looks come no closer: of ten thousand instances one is always about to be due. */
const SHORTEST_PAUSE_MS = 50;

/** Begins to watch. */
export function openFleet(options: ResolvedFleet): Fleet {
  return new Observer(options);
}

class Observer implements Fleet {
  readonly #options: ResolvedFleet;
  readonly #boot: BootClock;
  readonly #roster: Roster;
  readonly #watch: LeaseWatch;
  readonly #listeners = new Set<(event: FleetEvent) => unknown>();
  readonly #waiters = createWaiters<void>();
  readonly #isInstance;
  #timer: Timer | undefined;
  #dueAt = 0;
  #isSynced = false;
  #closed = false;

  constructor(options: ResolvedFleet) {
    const { store, prefix, clock, detector, preserve, forgetAfterMs, everyMs } = options;
    this.#options = options;
    this.#isInstance = isInstanceBelow(prefix);
    const now = (): number => clock.now();
    // A machine that was suspended did not see the heartbeats of that time.
    this.#boot = createBootClock({ now, uptimeMs: () => clock.uptimeMs?.() ?? now() });
    this.#roster = new Roster({
      ...{ detector, preserve, forgetAfterMs },
      lookEveryMs: everyMs,
      now: this.#boot.now(),
      wallNow: () => clock.wallNow(),
      emit: (event) => this.#tell(event),
    });
    this.#waiters.keepAlive(clock);
    this.#watch = store.watch({ prefix }, (event) => this.#take(event), { clock, everyMs });
    this.#in(SHORTEST_PAUSE_MS);
  }

  list(): readonly FleetInstance[] {
    return this.#roster.list(this.#boot.now());
  }

  view(): FleetView {
    return this.#roster.overview(this.#boot.now());
  }

  watch(listener: (event: FleetEvent) => unknown): () => void {
    // Wrapped, so that the same function may be given twice.
    const own = (event: FleetEvent): unknown => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  synced(signal?: AbortSignal): Promise<void> {
    if (this.#closed) return Promise.reject(closedError());
    return this.#isSynced ? Promise.resolve() : this.#waiters.wait(signal, 'the registry');
  }

  confirmLoss(): void {
    this.#roster.confirmLoss();
  }

  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#timer?.clear();
      this.#listeners.clear();
      this.#waiters.reject(closedError());
    }
    await this.#watch.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #take(event: LeaseEvent): void {
    if (this.#closed) return;
    const now = this.#boot.now();
    if (event.kind === 'held') {
      if (this.#isInstance(event.record)) this.#roster.held(event.record, now, event.withinMs);
    } else if (event.kind === 'free') {
      this.#roster.free(event, now);
      // Not at once: whatever else has gone is told with it, and all of them together may be too many.
      if (this.#dueAt > now + SHORTEST_PAUSE_MS) this.#in(SHORTEST_PAUSE_MS);
    } else if (event.kind === 'failed') {
      this.#isSynced = false;
      this.#roster.failed(event.error, now);
    } else if (event.kind === 'foreign') this.#tellForeign(event.key);
    else {
      this.#isSynced = true;
      this.#roster.synced(now);
      this.#waiters.resolve();
    }
  }

  #in(delayMs: number): void {
    this.#timer?.clear();
    this.#dueAt = this.#boot.now() + delayMs;
    this.#timer = this.#options.clock.setTimeout(() => this.#look(), delayMs);
  }

  #look(): void {
    const nextMs = this.#roster.look(this.#boot.now(), this.#dueAt);
    if (!this.#closed) this.#in(Math.max(SHORTEST_PAUSE_MS, Math.min(nextMs, LONGEST_PAUSE_MS)));
  }

  #tellForeign(key: string): void {
    const { logger, store } = this.#options;
    const fields = { event: 'fleet_foreign_entry', backend: store.backend, key };
    logger.warn(fields, 'an entry below the prefix is no lease of hale, and left out');
    this.#tell({ kind: 'foreign', key });
  }

  #tell(event: FleetEvent): void {
    for (const listener of [...this.#listeners])
      contain(
        () => listener(event),
        (error) =>
          this.#options.logger.error(
            { event: 'fleet_listener_failed', told: event.kind, error },
            'a listener to the fleet failed',
          ),
      );
  }
}

function closedError(): HaleError {
  return new HaleError('HALE_DISPOSED', 'the fleet was closed');
}
