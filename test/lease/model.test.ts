import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LeaseState, type LeaseStep, nextLeaseState } from '../../src/core/lease-state.js';
import type { LeaseStore } from '../../src/core/lease-store.js';
import { resolveLeaseTiming } from '../../src/core/lease-timing.js';
import { type FenceClaim, isAccepted } from '../../src/lease/guards/claim.js';
import { memoryLease } from '../../src/lease/stores/memory.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

/*
 * Two holders, one registry, one resource, and a network that delays, reorders and loses whatever it carries. A holder
 * acts only when the steps say so: one that is not named for a while is frozen.
 */
type Move =
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'ask' | 'write' | 'stopped' | 'round'; readonly who: number }
  | { readonly kind: 'serve' | 'answer' | 'lose' | 'apply'; readonly which: number };

interface Holder {
  readonly name: string;
  state: LeaseState;
  token: bigint;
  highestToken: bigint;
  hardAt: number;
}

interface Faults {
  /** The resource takes every write. */
  readonly unguarded?: boolean;
  /** Deadlines count from the answer, as in most libraries. */
  readonly fromAnswer?: boolean;
}

const timing = resolveLeaseTiming({});
const who = fc.nat(1);
const which = fc.nat(3);
const moves = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('time' as const),
      ms: fc.constantFrom(100, 1000, 8000, 31_000),
    }),
    fc.record({
      kind: fc.constantFrom('ask' as const, 'write' as const, 'stopped' as const, 'round' as const),
      who,
    }),
    fc.record({
      kind: fc.constantFrom('serve' as const, 'answer' as const, 'lose' as const, 'apply' as const),
      which,
    }),
  ),
  { minLength: 30, maxLength: 80, size: 'max' },
);

class World {
  readonly #clock = createManualClock();
  readonly #store: LeaseStore = memoryLease();
  readonly #faults: Faults;
  readonly holders: readonly Holder[] = ['a', 'b'].map((name) => ({
    name,
    state: nextLeaseState({ kind: 'idle' }, { kind: 'start' }, 0, { timing, highestToken: 0n }),
    token: 0n,
    highestToken: 0n,
    hardAt: -Infinity,
  }));
  readonly #requests: { holder: Holder; sentAt: number; token: bigint | undefined }[] = [];
  readonly #answers: { holder: Holder; step: LeaseStep }[] = [];
  readonly #writes: FenceClaim[] = [];
  readonly applied: FenceClaim[] = [];

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  /** Those who may write at this moment. */
  mayWrite(): Holder[] {
    return this.holders.filter(({ hardAt }) => this.#clock.now() < hardAt);
  }

  async play(move: Move): Promise<void> {
    switch (move.kind) {
      case 'time':
        this.#clock.jump(move.ms);
        break;
      case 'ask':
        this.#ask(this.holders[move.who] as Holder);
        break;
      case 'stopped':
        this.#step(this.holders[move.who] as Holder, { kind: 'stopped' });
        break;
      case 'round':
        await this.#round(this.holders[move.who] as Holder);
        break;
      case 'write':
        this.#write(this.holders[move.who] as Holder);
        break;
      case 'serve':
        await this.#serve(take(this.#requests, move.which));
        break;
      case 'lose':
        take(this.#requests, move.which);
        break;
      case 'answer':
        this.#answer(take(this.#answers, move.which));
        break;
      case 'apply':
        this.#apply(take(this.#writes, move.which));
    }
  }

  /** A question that is answered at once, as most are. */
  async #round(holder: Holder): Promise<void> {
    this.#step(holder, { kind: 'stopped' });
    this.#ask(holder);
    await this.#serve(this.#requests.pop());
    this.#answer(this.#answers.pop());
  }

  #ask(holder: Holder): void {
    this.#step(holder, { kind: 'tick' });
    const { kind } = holder.state;
    if (kind !== 'held' && kind !== 'acquiring') return;
    const token = kind === 'held' ? holder.token : undefined;
    this.#requests.push({ holder, sentAt: this.#clock.now(), token });
  }

  async #serve(request: { holder: Holder; sentAt: number; token: bigint | undefined } | undefined) {
    if (request === undefined) return;
    const { holder, sentAt, token } = request;
    const call = { clock: this.#clock, signal: new AbortController().signal };
    const asked = { name: 'orders', holder: holder.name, ttlMs: timing.ttlMs, data: '' };
    const answer =
      token === undefined
        ? await this.#store.acquire(asked, call)
        : await this.#store.renew({ ...asked, token }, call);
    if (answer.kind === 'granted' || answer.kind === 'renewed')
      this.#answers.push({ holder, step: { ...answer, sentAt } });
    else if (answer.kind === 'lost') this.#answers.push({ holder, step: { kind: 'refused' } });
  }

  #answer(answer: { holder: Holder; step: LeaseStep } | undefined): void {
    if (answer === undefined) return;
    const { holder, step } = answer;
    const late = this.#faults.fromAnswer === true && 'sentAt' in step;
    this.#step(holder, late ? { ...step, sentAt: this.#clock.now() } : step);
  }

  #step(holder: Holder, step: LeaseStep): void {
    const { highestToken } = holder;
    const after = nextLeaseState(holder.state, step, this.#clock.now(), { timing, highestToken });
    holder.state = after;
    if (after.kind === 'held') {
      holder.token = after.token;
      holder.highestToken = after.token;
    }
    holder.hardAt = after.kind === 'held' || after.kind === 'lost' ? after.hardAt : -Infinity;
  }

  /** As `assertHeld()` right before a write, which then takes its time. */
  #write(holder: Holder): void {
    if (this.#clock.now() < holder.hardAt)
      this.#writes.push({ token: holder.token, holder: holder.name });
  }

  #apply(claim: FenceClaim | undefined): void {
    if (claim === undefined) return;
    const accepted = this.#faults.unguarded === true || isAccepted(claim, this.applied.at(-1));
    if (accepted) this.applied.push(claim);
  }
}

function take<T>(list: T[], which: number): T | undefined {
  return list.length === 0 ? undefined : list.splice(which % list.length, 1)[0];
}

/** Looks for steps after which something is wrong. */
async function search(faults: Faults, isSound: (world: World) => boolean): Promise<unknown> {
  const { counterexample } = await fc.check(
    fc.asyncProperty(moves, async (list) => {
      const world = new World(faults);
      for (const move of list) {
        await world.play(move);
        if (!isSound(world)) return false;
      }
      return true;
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  return counterexample;
}

const RUNS = 2000;
const alone = (world: World) => world.mayWrite().length <= 1;
/** Said here in words of its own: the guard must not be judged by itself. */
const inOrder = ({ applied }: World) =>
  applied.every(({ token, holder }, index) =>
    applied
      .slice(0, index)
      .every(
        (before) => before.token < token || (before.token === token && before.holder === holder),
      ),
  );

describe('two holders, whatever is delayed, lost or frozen', () => {
  it('H3: never may both write at once', async () => {
    expect(await search({}, alone)).toBe(null);
  });

  it('H4, H8: the guarded resource never takes an older token after a newer one', async () => {
    expect(await search({}, inOrder)).toBe(null);
  });

  it('with deadlines that count from the answer, the search finds both writing', async () => {
    expect(await search({ fromAnswer: true }, alone)).not.toBe(null);
  });

  it('without the guard, the search finds an older token after a newer one', async () => {
    expect(await search({ unguarded: true }, inOrder)).not.toBe(null);
  });
});
