import { type BootClock, createBootClock } from '../core/boot-clock.js';
import type { Timer } from '../core/clock.js';
import { contain } from '../core/contain.js';
import type {
  LeaseCall,
  LeaseEnded,
  LeaseEvent,
  LeaseRecord,
  LeaseWatch,
  LeaseWatchContext,
} from '../core/lease-store.js';
import { createAttempts } from './attempts.js';

export interface PollWatchOptions {
  readonly context: LeaseWatchContext;
  list(call: LeaseCall): Promise<readonly LeaseRecord[]>;
  listener(event: LeaseEvent): void;
  /** Called once, at the end. */
  close?(): void;
}

/** A watch that can be told that something may have changed. */
export interface PollWatch extends LeaseWatch {
  /** Looks at once. */
  hint(): void;
}

const EVERY_MS = 1000;
const TIMEOUT_MS = 4000;
/** Whoever writes that much below the prefix has been told. */
const MOST_FOREIGN = 100;

type Ends = Map<string, LeaseEnded['why']>;

/** A watch that lists again and again, and tells the differences. */
export function createPollWatch(options: PollWatchOptions): PollWatch {
  return new Poller(options);
}

class Poller implements PollWatch {
  readonly #options: PollWatchOptions;
  readonly #attempts;
  readonly #known = new Map<string, LeaseRecord>();
  readonly #foreign = new Set<string>();
  readonly #boot: BootClock;
  /** When the last look that was answered began. */
  #lookedAt = -Infinity;
  #timer: Timer | undefined;
  #busy = false;
  #hinted = false;
  #synced = false;
  #failed = false;
  #closed = false;

  constructor(options: PollWatchOptions) {
    this.#options = options;
    const { clock } = options.context;
    const now = (): number => clock.now();
    this.#boot = createBootClock({ now, uptimeMs: () => clock.uptimeMs?.() ?? now() });
    this.#attempts = createAttempts(clock, () => {});
    this.#in(0);
  }

  hint(): void {
    this.#in(0);
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#timer?.clear();
      this.#attempts.abandon();
      this.#options.close?.();
    }
    return Promise.resolve();
  }

  #in(delayMs: number): void {
    if (this.#closed) return;
    this.#timer?.clear();
    this.#timer = this.#options.context.clock.setTimeout(() => void this.#look(), delayMs);
  }

  async #look(): Promise<void> {
    if (this.#busy) {
      this.#hinted = true;
      return;
    }
    this.#busy = true;
    const ends: Ends = new Map();
    const askedAt = this.#boot.now();
    const { timeoutMs = TIMEOUT_MS, everyMs = EVERY_MS } = this.#options.context;
    const attempt = await this.#attempts.run(timeoutMs, (call) => {
      const onForeign = (key: string): void => this.#tellForeign(key, call.signal);
      const onEnded = ({ name, token, why }: LeaseEnded): void => {
        if (this.#known.get(name)?.token === token) ends.set(name, why);
      };
      return this.#options.list({ ...call, onForeign, onEnded });
    });
    this.#busy = false;
    if (this.#closed) return;
    if (attempt.kind === 'answered') {
      this.#compare(attempt.value, ends);
      this.#lookedAt = askedAt;
    } else this.#fail(attempt.kind === 'error' ? attempt.error : new Error('no answer in time'));
    this.#in(this.#hinted ? 0 : everyMs);
    this.#hinted = false;
  }

  #compare(records: readonly LeaseRecord[], ends: Ends): void {
    const withinMs = this.#boot.now() - this.#lookedAt;
    const gone = new Map(this.#known);
    for (const record of records) {
      const known = gone.get(record.name);
      gone.delete(record.name);
      this.#known.set(record.name, record);
      if (known?.revision !== record.revision || known.token !== record.token)
        this.#tell({ kind: 'held', record, withinMs });
    }
    for (const { name, token } of gone.values()) {
      this.#known.delete(name);
      const why = ends.get(name);
      this.#tell({ kind: 'free', name, token, ...(why !== undefined && { why }) });
    }
    if (!this.#synced) this.#tell({ kind: 'synced' });
    this.#synced = true;
    this.#failed = false;
  }

  #fail(error: unknown): void {
    this.#synced = false;
    if (this.#failed) return;
    this.#failed = true;
    this.#tell({ kind: 'failed', error });
  }

  #tellForeign(key: string, { aborted }: AbortSignal): void {
    if (aborted || this.#foreign.has(key) || this.#foreign.size >= MOST_FOREIGN) return;
    this.#foreign.add(key);
    this.#tell({ kind: 'foreign', key });
  }

  #tell(event: LeaseEvent): void {
    if (this.#closed) return;
    // A listener that throws has no one to throw to; it must not end the watch.
    contain(
      () => this.#options.listener(event),
      () => {},
    );
  }
}
