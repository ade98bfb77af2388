import type { Clock, Random, Timer } from '../core/clock.js';
import { contain } from '../core/contain.js';
import type { Decision } from '../core/decision.js';
import { errorText } from '../core/error-text.js';
import {
  EXIT_PERMIT_OUTCOMES,
  type ExitAnswer,
  type ExitCall,
  type ExitPermitOutcome,
  type ExitPermitState,
  type ExitPermits,
} from '../core/exit-permit.js';
import type { Logger } from '../core/logger.js';
import type { Reason } from '../core/reason.js';
import { settlesWithin } from './bounded.js';
import { type ExitLog, createExitLog } from './exit-log.js';
import type { GateKeeper } from './gates.js';
import type { Publisher } from './publisher.js';

export interface ExitKeeperOptions {
  readonly permits: ExitPermits;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly gates: GateKeeper;
  readonly publisher: Pick<Publisher, 'patch'>;
}

/** Takes, keeps and gives back the permit to leave rotation (R10); readiness is decided by its state, as a gate. */
export interface ExitKeeper {
  /** To be called with what readiness says, and what of that is shared, before anyone is told. */
  look(decision: Decision, shared: readonly Reason[]): void;
  /** Ends it and gives the permit back, for this instance gets no traffic any more; never rejects. */
  end(signal?: AbortSignal): Promise<void>;
}

/** A registry that hangs under the same load must not hold the decision open. */
const ANSWER_WITHIN_MS = 2000;
const ASK_AGAIN_MS = 1000;
const GIVE_BACK_WITHIN_MS = 1000;

/** Creates the keeper of an instance that has not been in rotation yet, and so needs no permit to be out. */
export function createExitKeeper(options: ExitKeeperOptions): ExitKeeper {
  return new Keeper(options);
}

class Keeper implements ExitKeeper {
  readonly #options: ExitKeeperOptions;
  readonly #log: ExitLog;
  readonly #counts = Object.fromEntries(EXIT_PERMIT_OUTCOMES.map((each) => [each, 0])) as Record<
    ExitPermitOutcome,
    number
  >;
  #state: ExitPermitState = 'not_needed';
  /** What this instance would leave for now. */
  #wanted: readonly Reason[] = [];
  #lastReason: Reason = 'at_capacity';
  /** Out by the fallback, without a permit. */
  #byFallback = false;
  #asked = false;
  #ended = false;
  #question: AbortController | undefined;
  #patience: Timer | undefined;
  #nextQuestion: Timer | undefined;
  #expiry: Timer | undefined;
  #return: Timer | undefined;

  constructor(options: ExitKeeperOptions) {
    this.#options = options;
    this.#log = createExitLog(options.logger);
    options.publisher.patch({ exitPermits: { ...this.#counts } });
  }

  look(decision: Decision, shared: readonly Reason[]): void {
    if (this.#ended) return;
    // A process on its way out needs no permit any more, and goes on keeping the one it has until it is gone.
    const leaving = decision.reasons.includes('draining') || decision.reasons.includes('stopped');
    this.#wanted = leaving && this.#state !== 'granted' ? [] : shared;
    if (this.#wanted[0] !== undefined) this.#lastReason = this.#wanted[0];
    if (this.#state === 'not_needed') {
      if (decision.status === 'fail') return;
      this.#set('needed');
    }
    if (leaving && this.#state === 'granted') return;
    if (this.#wanted.length > 0) this.#want();
    else this.#wantNoMore();
  }

  async end(signal?: AbortSignal): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#clearTimers();
    this.#dropQuestion();
    if (this.#asked && signal?.aborted !== true) await this.#giveBack();
    contain(
      () => this.#options.permits.close(),
      (error) => this.#log.returnFailed(errorText(error)),
    );
  }

  #want(): void {
    this.#return?.clear();
    this.#return = undefined;
    if (this.#state !== 'needed') return;
    this.#set('asked');
    const { spreadMs } = this.#options.permits;
    if (spreadMs === 0) this.#ask();
    else this.#askIn(this.#options.random() * spreadMs);
  }

  #wantNoMore(): void {
    if (this.#state === 'granted') this.#planReturn();
    else if (this.#state !== 'needed') {
      this.#nextQuestion?.clear();
      this.#log.over();
      this.#set('needed');
    }
  }

  /** The balancer needs a probe or two to send traffic again, and a dependency that flaps is asked for once. */
  #planReturn(): void {
    if (this.#return !== undefined) return;
    const { clock, permits } = this.#options;
    this.#return = clock.setTimeout(() => this.#returnPermit(), permits.keepMs);
    if (permits.keepMs === 0) this.#returnPermit();
  }

  #returnPermit(): void {
    this.#clearTimers();
    this.#dropQuestion();
    this.#byFallback = false;
    this.#set('needed');
    void this.#giveBack();
  }

  #askIn(delayMs: number): void {
    this.#nextQuestion?.clear();
    this.#nextQuestion = this.#options.clock.setTimeout(() => this.#ask(), delayMs);
  }

  #ask(): void {
    if (this.#question !== undefined || this.#ended) return;
    const question = new AbortController();
    this.#question = question;
    this.#asked = true;
    let answer: unknown;
    try {
      answer = this.#options.permits.ask(this.#lastReason, this.#call(question.signal));
    } catch (error) {
      this.#settle(() => this.#fail(error));
      return;
    }
    if (answer instanceof Promise) this.#await(question, answer);
    else this.#settle(() => this.#hear(answer as ExitAnswer));
  }

  #await(question: AbortController, answer: Promise<ExitAnswer>): void {
    const once = (then: () => void): void => {
      if (this.#question === question) this.#settle(then);
    };
    this.#patience = this.#options.clock.setTimeout(() => {
      question.abort();
      once(() => this.#fail(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`)));
    }, ANSWER_WITHIN_MS);
    answer.then(
      (given) => once(() => this.#hear(given)),
      (error: unknown) => once(() => this.#fail(error)),
    );
  }

  /** What is answered later would be a permit that has been given back. */
  #dropQuestion(): void {
    this.#patience?.clear();
    this.#question?.abort();
    this.#question = undefined;
  }

  #settle(then: () => void): void {
    this.#question = undefined;
    this.#patience?.clear();
    if (!this.#ended) then();
  }

  #hear(answer: ExitAnswer): void {
    if (answer?.kind !== 'granted' && answer?.kind !== 'refused') {
      this.#fail(new TypeError('ask() must answer that it is granted or refused'));
      return;
    }
    const held = this.#state === 'granted' && !this.#byFallback;
    if (answer.kind === 'granted') {
      this.#count(held ? 'kept' : 'granted');
      this.#log.granted(held, this.#lastReason);
      this.#hold(answer);
    } else {
      this.#count(held ? 'lost' : 'refused');
      this.#log.refused(held, this.#lastReason);
      this.#stay(answer.askAgainMs ?? ASK_AGAIN_MS);
    }
  }

  #hold({ until, askAgainMs }: Extract<ExitAnswer, { kind: 'granted' }>): void {
    const { clock } = this.#options;
    this.#byFallback = false;
    this.#expiry?.clear();
    if (until !== undefined)
      this.#expiry = clock.setTimeout(() => this.#expire(), until - clock.now());
    if (askAgainMs !== undefined) this.#askIn(askAgainMs);
    this.#set('granted');
    // While the answer was on its way the reason may have gone.
    if (this.#wanted.length === 0) this.#planReturn();
  }

  /** The registry may give the permit to another from now on. */
  #expire(): void {
    this.#expiry = undefined;
    this.#log.expired(this.#lastReason);
    this.#fallBack();
  }

  #fail(error: unknown): void {
    this.#count('failed');
    const { permits } = this.#options;
    const lasts = this.#expiry !== undefined && this.#state === 'granted' && !this.#byFallback;
    this.#log.failed(errorText(error), lasts ? 'kept' : permits.fallback);
    if (lasts) this.#askIn(permits.retryMs ?? ASK_AGAIN_MS);
    else this.#fallBack();
  }

  #fallBack(): void {
    const { fallback, retryMs } = this.#options.permits;
    if (fallback === 'stay') {
      this.#stay(retryMs ?? ASK_AGAIN_MS);
      return;
    }
    this.#byFallback = true;
    this.#expiry?.clear();
    this.#expiry = undefined;
    if (retryMs !== undefined) this.#askIn(retryMs);
    this.#set('granted');
    if (this.#wanted.length === 0) this.#planReturn();
  }

  /** In rotation, and back in it if it was out: an instance that is out without a permit would break the floor. */
  #stay(askAgainMs: number): void {
    this.#clearTimers();
    this.#byFallback = false;
    if (this.#wanted.length === 0) {
      this.#set('needed');
      return;
    }
    this.#askIn(askAgainMs);
    this.#set('refused');
  }

  async #giveBack(): Promise<void> {
    const { clock, permits } = this.#options;
    const question = new AbortController();
    try {
      let given = false;
      const done = await settlesWithin(clock, GIVE_BACK_WITHIN_MS, async () => {
        given = await permits.giveBack(this.#call(question.signal));
      });
      if (!done) question.abort();
      if (given) this.#count('given_back');
      if (given || !done) this.#log.returned(done);
    } catch (error) {
      this.#log.returnFailed(errorText(error));
    }
  }

  #call(signal: AbortSignal): ExitCall {
    const { clock, random } = this.#options;
    return { clock, random, signal };
  }

  #count(outcome: ExitPermitOutcome): void {
    this.#counts[outcome] += 1;
    this.#options.publisher.patch({ exitPermits: { ...this.#counts } });
  }

  #set(state: ExitPermitState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.gates.set({ exitPermit: state });
  }

  #clearTimers(): void {
    for (const timer of [this.#nextQuestion, this.#expiry, this.#return]) timer?.clear();
    this.#expiry = undefined;
    this.#return = undefined;
  }
}
