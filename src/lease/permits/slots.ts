import type { Clock, Random } from '../../core/clock.js';
import { DEFAULTS } from '../../core/defaults.js';
import type { ExitAnswer, ExitCall, ExitPermits } from '../../core/exit-permit.js';
import type { LeaseCall, LeaseRecord, LeaseToken } from '../../core/lease-store.js';
import { hardAfterMs } from '../../core/lease-timing.js';
import type { Reason } from '../../core/reason.js';
import { type Attempts, createAttempts } from '../attempts.js';
import { beginUse, endUse } from '../store-users.js';
import { type ResolvedExitPermits, permitsFor } from './resolve-permits.js';

/** The permit this instance has. */
interface Slot {
  readonly index: number;
  readonly token: LeaseToken;
}

/** One question: everything it asks the registry ends before whoever asked gives it up. */
interface Turn {
  readonly reason: Reason;
  readonly random: Random;
  now(): number;
  ask<T>(call: (call: LeaseCall) => Promise<T>): Promise<T>;
}

const ANSWER_WITHIN_MS = 1900;
const GIVE_BACK_WITHIN_MS = 900;
/** Others take the same slot in the same moment; more than so many times is a busy registry, and the next turn's. */
const TRIES = 4;
const ASK_AGAIN_MS = 2000;
const COLLISION_MS = 200;

/** Creates the permits of one instance; nothing is asked yet. */
export function createSlots(options: ResolvedExitPermits): ExitPermits {
  return new Slots(options);
}

class Slots implements ExitPermits {
  readonly spreadMs = DEFAULTS.firstDelayMs;
  readonly #options: ResolvedExitPermits;
  readonly #marginMs: number;
  #slot: Slot | undefined;
  /** A slot may have been granted by an answer that never came. */
  #unsure = false;
  /** The grant whose release was not answered, and may still be on its way. */
  #leaving: LeaseToken | undefined;
  #attempts: Attempts | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ResolvedExitPermits) {
    this.#options = options;
    this.#marginMs = Math.min(DEFAULTS.lease.marginMs, options.ttlMs / 20);
  }

  get fallback(): 'stay' | 'leave' {
    return this.#options.fallback;
  }

  get keepMs(): number {
    return this.#options.keepMs;
  }

  get retryMs(): number {
    return Math.min(DEFAULTS.lease.retryMs, this.#options.ttlMs / 15);
  }

  ask(reason: Reason, call: ExitCall): Promise<ExitAnswer> {
    return this.#inTurn(() => this.#answer(this.#turn(reason, call, ANSWER_WITHIN_MS)));
  }

  giveBack(call: ExitCall): Promise<boolean> {
    return this.#inTurn(() => this.#free(this.#turn('ok', call, GIVE_BACK_WITHIN_MS)));
  }

  close(): void {
    this.#attempts?.abandon();
    endUse(this.#options.store, this);
  }

  /** One after the other: what the one takes, the other gives back. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  #turn(reason: Reason, { clock, random, signal }: ExitCall, withinMs: number): Turn {
    beginUse(this.#options.store, this);
    const attempts = this.#attemptsOn(clock);
    const endsAt = clock.now() + withinMs;
    return {
      reason,
      random,
      now: () => clock.now(),
      async ask(call) {
        signal.throwIfAborted();
        const attempt = await attempts.run(endsAt - clock.now(), call);
        if (attempt.kind === 'answered') return attempt.value;
        throw attempt.kind === 'error' ? attempt.error : new Error('no answer in time');
      },
    };
  }

  #attemptsOn(clock: Clock): Attempts {
    // What comes late is found in the list, by the next question or when it is given back.
    this.#attempts ??= createAttempts(clock, () => {});
    return this.#attempts;
  }

  async #answer(turn: Turn): Promise<ExitAnswer> {
    const { instances, floor } = this.#options;
    const allowed = permitsFor(await turn.ask((call) => instances(call)), floor);
    return (await this.#keep(allowed, turn)) ?? (await this.#take(allowed, turn));
  }

  /** Renews what this instance has; undefined when it has nothing any more. */
  async #keep(allowed: number, turn: Turn): Promise<ExitAnswer | undefined> {
    const slot = this.#slot;
    if (slot === undefined) return undefined;
    // There are fewer instances than there were, and so fewer permits.
    if (slot.index >= allowed) {
      await this.#release(slot, turn);
      return undefined;
    }
    const { store } = this.#options;
    const sentAt = turn.now();
    const renewal = { ...this.#request(slot.index, turn.reason), token: slot.token };
    const answer = await turn.ask((call) => store.renew(renewal, call));
    if (answer.kind === 'renewed') return this.#granted(sentAt, answer.ttlMs, turn);
    this.#slot = undefined;
    return undefined;
  }

  async #take(allowed: number, turn: Turn): Promise<ExitAnswer> {
    if (allowed === 0) return refused(ASK_AGAIN_MS, turn);
    const records = await this.#list(turn);
    const mine = records.find(({ holder }) => holder === this.#options.holder);
    if (mine !== undefined) {
      this.#slot = { index: this.#indexOf(mine), token: mine.token };
      // A release that comes late would free what is renewed now, but nothing under a new token.
      if (mine.token === this.#leaving) await this.#release(this.#slot, turn);
      const kept = await this.#keep(allowed, turn);
      if (kept !== undefined) return kept;
    }
    const taken = new Set(
      records.filter((each) => each !== mine).map((each) => this.#indexOf(each)),
    );
    if (taken.size >= allowed) return refused(ASK_AGAIN_MS, turn);
    for (const index of freeSlots(allowed, taken, turn.random)) {
      const granted = await this.#acquire(index, turn);
      if (granted !== undefined) return granted;
    }
    return refused(COLLISION_MS, turn);
  }

  async #acquire(index: number, turn: Turn): Promise<ExitAnswer | undefined> {
    const { store } = this.#options;
    const sentAt = turn.now();
    this.#unsure = true;
    const answer = await turn.ask((call) => store.acquire(this.#request(index, turn.reason), call));
    this.#unsure = false;
    if (answer.kind === 'denied') return undefined;
    this.#slot = { index, token: answer.token };
    return this.#granted(sentAt, answer.ttlMs, turn);
  }

  #granted(sentAt: number, grantedMs: number, turn: Turn): ExitAnswer {
    const { ttlMs } = this.#options;
    const until = sentAt + hardAfterMs(grantedMs, { ttlMs, marginMs: this.#marginMs });
    // It took longer to grant than it lasts: the next question renews it.
    if (!(until > turn.now())) return refused(COLLISION_MS, turn);
    const renewMs = (Math.min(ttlMs, grantedMs) / 3) * (1 - 0.1 * turn.random());
    return { kind: 'granted', until, askAgainMs: renewMs };
  }

  async #free(turn: Turn): Promise<boolean> {
    const slot = this.#slot;
    if (slot !== undefined) await this.#release(slot, turn);
    if (!this.#unsure) return slot !== undefined;
    const { store, holder } = this.#options;
    const mine = (await this.#list(turn)).filter((record) => record.holder === holder);
    this.#unsure = false;
    for (const { name, token } of mine)
      await turn.ask((call) => store.release({ name, holder, token }, call));
    return slot !== undefined || mine.length > 0;
  }

  async #release({ index, token }: Slot, turn: Turn): Promise<void> {
    const { store, holder } = this.#options;
    this.#slot = undefined;
    this.#leaving = token;
    const claim = { name: this.#nameOf(index), holder, token };
    await turn.ask((call) => store.release(claim, call));
    this.#leaving = undefined;
  }

  #list(turn: Turn): Promise<readonly LeaseRecord[]> {
    const { store, prefix } = this.#options;
    return turn.ask((call) => store.list({ prefix }, call));
  }

  #request(index: number, reason: Reason) {
    const { holder, ttlMs } = this.#options;
    return { name: this.#nameOf(index), holder, ttlMs, data: reason };
  }

  #nameOf(index: number): string {
    return `${this.#options.prefix}${index}`;
  }

  #indexOf({ name }: LeaseRecord): number {
    return Number(name.slice(this.#options.prefix.length));
  }
}

function refused(aboutMs: number, { random }: Turn): ExitAnswer {
  return { kind: 'refused', askAgainMs: aboutMs * (0.5 + random()) };
}

/** A few of the free ones, from a random start on: instances that ask at once mostly ask for different ones. */
function freeSlots(allowed: number, taken: ReadonlySet<number>, random: Random): readonly number[] {
  const free = Array.from({ length: allowed }, (_, index) => index).filter(
    (index) => !taken.has(index),
  );
  const start = Math.floor(random() * free.length);
  return [...free.slice(start), ...free.slice(0, start)].slice(0, TRIES);
}
