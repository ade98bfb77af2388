import type { Clock, Random, Timer } from '../core/clock.js';
import type { HeldLease, LeaseState, LeaseStep } from '../core/lease-state.js';
import type { LeaseClaim, LeaseOwner, LeaseRequest } from '../core/lease-store.js';
import type { LeaseTiming } from '../core/lease-timing.js';
import type { Exchange } from './exchange.js';

export interface RoundsOptions {
  readonly timing: LeaseTiming;
  readonly clock: Clock;
  readonly random: Random;
  readonly exchange: Exchange;
  now(): number;
  state(): LeaseState;
  request(): LeaseRequest;
  /** The present grant. */
  claim(): LeaseClaim;
  apply(step: LeaseStep, owner?: LeaseOwner): void;
  /** An error of the keeper itself. */
  onError(error: unknown): void;
}

/** When the registry is asked next: one question at a time, until `end`. */
export interface Rounds {
  /** Asks for the first time, after a random delay. */
  begin(): void;
  /** Asks again after the usual pause. */
  retry(): void;
  /** Asks nothing until `retry`. */
  pause(): void;
  end(): void;
}

/** Attempts come this share earlier or later, so that a fleet does not ask in lockstep. */
const JITTER = 0.1;
/** Replicas started together ask one after the other. */
const FIRST_DELAY_SHARE = 0.25;

/** Creates the rounds; nothing is asked before `begin`. */
export function createRounds(options: RoundsOptions): Rounds {
  return new Loop(options);
}

class Loop implements Rounds {
  readonly #options: RoundsOptions;
  #timer: Timer | undefined;
  #busy = false;
  #ended = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  begin(): void {
    const { random, timing } = this.#options;
    this.#in(random() * FIRST_DELAY_SHARE * timing.retryMs);
  }

  retry(): void {
    this.#in(this.#jittered(this.#options.timing.retryMs));
  }

  pause(): void {
    this.#timer?.clear();
  }

  end(): void {
    this.#ended = true;
    this.pause();
  }

  #in(delayMs: number): void {
    if (this.#ended) return;
    this.#timer?.clear();
    this.#timer = this.#options.clock.setTimeout(() => void this.#turn(), delayMs);
  }

  #jittered(ms: number): number {
    return ms * (1 + JITTER * (2 * this.#options.random() - 1));
  }

  async #turn(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      this.#options.apply({ kind: 'tick' });
      const state = this.#options.state();
      if (state.kind === 'held') await this.#renew(state);
      else if (state.kind === 'acquiring') await this.#acquire();
    } catch (error) {
      // Nothing of the above rejects; if it did, the lease would have to be asked for again all the same.
      this.#options.onError(error);
      this.retry();
    } finally {
      this.#busy = false;
    }
  }

  async #renew({ softAt }: HeldLease): Promise<void> {
    const { timing, exchange, now } = this.#options;
    const leftMs = softAt - now();
    const timeoutMs = Math.min(timing.attemptTimeoutMs, leftMs);
    const { step, owner } = await exchange.renew(
      this.#options.request(),
      this.#options.claim(),
      timeoutMs,
      leftMs,
    );
    this.#options.apply(step, owner);
    this.#next(step);
  }

  async #acquire(): Promise<void> {
    const { timing, exchange } = this.#options;
    const { step, owner } = await exchange.acquire(
      this.#options.request(),
      timing.attemptTimeoutMs,
    );
    this.#options.apply(step);
    this.#next(step, owner);
  }

  #next(step: LeaseStep, owner?: LeaseOwner): void {
    const { timing, random, now, state } = this.#options;
    const { kind } = state();
    // A lost one is asked for again once work has stopped.
    if (kind === 'lost') return;
    if (kind === 'held' && 'sentAt' in step) {
      // Earlier only: a fleet spreads, and no renewal is later than it was asked to be.
      const renewAfterMs = timing.renewMs * (1 - JITTER * random());
      this.#in(step.sentAt + renewAfterMs - now());
    } else {
      const waitMs = Math.min(timing.retryMs, owner?.expiresInMs ?? Infinity);
      this.#in(this.#jittered(waitMs));
    }
  }
}
