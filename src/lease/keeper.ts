import { untilAborted } from '../core/abort.js';
import { type BootClock, createBootClock } from '../core/boot-clock.js';
import type { Timer } from '../core/clock.js';
import { contain } from '../core/contain.js';
import { HaleError } from '../core/errors.js';
import type { LeaseContext, LeaseView } from '../core/lease-host.js';
import {
  type HeldLease,
  type LeaseState,
  type LeaseStep,
  type LostLease,
  nextLeaseState,
} from '../core/lease-state.js';
import type { LeaseClaim, LeaseOwner, LeaseRequest, LeaseToken } from '../core/lease-store.js';
import { type Attempts, createAttempts } from './attempts.js';
import { type Exchange, createExchange } from './exchange.js';
import { type LeaseGrant, type OwnGrant, createGrant } from './grant.js';
import { type KeeperLog, createKeeperLog } from './keeper-log.js';
import type { Lease } from './lease.js';
import { createOutcomeCounts } from './outcomes.js';
import {
  type LeaseOptions,
  type ResolvedLease,
  dataOption,
  resolveLease,
} from './resolve-lease.js';
import { type Rounds, createRounds } from './rounds.js';
import { stopWork } from './stop-work.js';
import { beginUse, endUse } from './store-users.js';
import { type Waiters, createWaiters } from './waiters.js';

/**
 * Creates a lease; nothing happens before it joins the health of the process with `health.lease()`.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function createLease(options: LeaseOptions): Lease {
  return new Keeper(resolveLease(options));
}

/** After a refusal the registry gives no time at all: this much to stop, and no more. */
const STOP_AFTER_REFUSAL_MS = 1000;
const RELEASE_TIMEOUT_MS = 1000;
/** The process exits by itself this much before it would be killed, if there is that much time. */
const EXIT_EARLY_MS = 250;
const EXIT_EARLY_SHARE = 0.2;

interface Running {
  readonly context: LeaseContext;
  readonly boot: BootClock;
  readonly attempts: Attempts;
  readonly exchange: Exchange;
  readonly rounds: Rounds;
  readonly log: KeeperLog;
}

class Keeper implements Lease {
  readonly #options: ResolvedLease;
  readonly #counts = createOutcomeCounts();
  readonly #waiters: Waiters<LeaseGrant> = createWaiters();
  #running: Running | undefined;
  #state: LeaseState = { kind: 'idle' };
  #own: OwnGrant | undefined;
  #hardAt = -Infinity;
  #highestToken: LeaseToken = 0n;
  #data: string;
  #ended = false;
  #softTimer: Timer | undefined;
  #latencyMs: number | undefined;

  constructor(options: ResolvedLease) {
    this.#options = options;
    this.#data = options.data;
  }

  get name(): string {
    return this.#options.name;
  }

  get holder(): string {
    return this.#options.holder;
  }

  get impact(): LeaseView['impact'] {
    return this.#options.impact;
  }

  get current(): LeaseGrant | undefined {
    this.#look();
    return this.#state.kind === 'held' ? this.#own?.grant : undefined;
  }

  get token(): LeaseToken | undefined {
    return this.current?.token;
  }

  get signal(): AbortSignal {
    return this.current?.signal ?? AbortSignal.abort(this.#notHeld());
  }

  assertHeld(): LeaseGrant {
    const { current } = this;
    if (current === undefined) throw this.#notHeld();
    return current;
  }

  untilHeld(signal?: AbortSignal): Promise<LeaseGrant> {
    const { current } = this;
    if (current !== undefined) return Promise.resolve(current);
    if (this.#ended) return Promise.reject(this.#over());
    return this.#waiters.wait(signal, `lease "${this.name}"`);
  }

  update(data: string): void {
    this.#data = dataOption(data);
  }

  start(context: LeaseContext): void {
    if (this.#running !== undefined || this.#ended)
      throw new HaleError('HALE_STATE', `lease "${this.name}" was started or ended before`);
    beginUse(this.#options.store, this);
    this.#running = this.#run(context);
    this.#waiters.keepAlive(context.clock);
    this.#apply({ kind: 'start' });
    this.#running.rounds.begin();
  }

  async release(signal?: AbortSignal): Promise<void> {
    const held = this.#state.kind === 'held' || this.#state.kind === 'lost';
    const claim = held ? this.#own?.grant : undefined;
    this.#end('it was released');
    if (claim !== undefined && signal?.aborted !== true) {
      const freed = this.#free(claim);
      await (signal === undefined ? freed : untilAborted(freed, signal).catch(() => {}));
    }
    endUse(this.#options.store, this);
  }

  stop(): void {
    this.#end('hale has stopped');
    this.#running?.attempts.abandon();
    endUse(this.#options.store, this);
  }

  view(): LeaseView {
    const { name, holder, impact, store } = this.#options;
    this.#look();
    const state = this.#state;
    return {
      name,
      holder,
      impact,
      backend: store.backend,
      state: state.kind,
      ...(state.kind === 'held' ? heldView(state, this.#now()) : {}),
      outcomes: this.#counts.snapshot(),
      ...(this.#latencyMs === undefined ? {} : { lastLatencyMs: this.#latencyMs }),
    };
  }

  #run(context: LeaseContext): Running {
    const { clock, random, logger } = context;
    const { name, holder, store, timing } = this.#options;
    const monotonic = (): number => clock.now();
    const uptimeMs = (): number => clock.uptimeMs?.() ?? monotonic();
    const boot = createBootClock({ now: monotonic, uptimeMs });
    const { now } = boot;
    const log = createKeeperLog(logger, { lease: name, holder, backend: store.backend });
    const { count } = this.#counts;
    const attempts = createAttempts(clock, () => count('late'));
    const onLatency = (ms: number): void => void (this.#latencyMs = ms);
    const exchange = createExchange({ store, attempts, log, now, count, onLatency });
    const rounds = createRounds({
      ...{ timing, clock, random, exchange, now },
      state: () => this.#state,
      request: () => this.#request(),
      claim: () => (this.#own as OwnGrant).grant,
      apply: (step, owner) => this.#take(step, owner),
      onError: (error) => log.hookFailed('the keeper', error),
    });
    return { context, boot, attempts, exchange, rounds, log };
  }

  #now(): number {
    return this.#running?.boot.now() ?? 0;
  }

  /** Notices what has become due, without waiting for a timer. */
  #look(): void {
    if (this.#state.kind === 'held') this.#apply({ kind: 'tick' });
  }

  #take(step: LeaseStep, owner?: LeaseOwner): void {
    const highest = this.#highestToken;
    if (!this.#ended) this.#apply(step, owner);
    if (step.kind !== 'granted') return;
    const { token } = step;
    if (this.#state.kind === 'held' && this.#state.token === token) return;
    if (token <= highest) {
      this.#counts.count('regressed');
      this.#running?.log.regressed(token, highest);
    } else if (!this.#ended) this.#running?.log.late(token);
    // Nobody will use it: another may have it at once.
    const { name, holder } = this.#options;
    void this.#free({ name, holder, token });
  }

  #apply(step: LeaseStep, owner: LeaseOwner = {}): void {
    const before = this.#state;
    const rules = { timing: this.#options.timing, highestToken: this.#highestToken };
    const after = nextLeaseState(before, step, this.#now(), rules);
    this.#state = after;
    const running = this.#running;
    if (after === before || running === undefined) return;
    if (after.kind === 'held') {
      this.#keepUntil(after, running);
      if (before.kind !== 'held') this.#begin(after.token, running);
    } else if (after.kind === 'lost') this.#lose(after, running, owner);
    else if (after.kind === 'acquiring') running.context.setMissing(true);
  }

  #keepUntil({ hardAt, softAt }: HeldLease, { context, boot }: Running): void {
    this.#hardAt = hardAt;
    this.#softTimer?.clear();
    this.#softTimer = context.clock.setTimeout(() => this.#look(), softAt - boot.now());
    context.setDeadline(hardAt - boot.suspendedMs);
  }

  /** Whoever ends an overdue process has been told by now: from here on the lease is used. */
  #begin(token: LeaseToken, { context, log }: Running): void {
    this.#highestToken = token;
    const { name, holder } = this.#options;
    const own: OwnGrant = createGrant({
      claim: { name, holder, token },
      now: () => {
        this.#look();
        return this.#now();
      },
      hardAt: () => (this.#own === own ? this.#hardAt : -Infinity),
      onListenerError: (error) => log.hookFailed('a listener to the signal', error),
    });
    this.#own = own;
    context.setMissing(false);
    log.granted(token);
    this.#waiters.resolve(own.grant);
    contain(
      () => this.#options.onHeld(own.grant),
      (error) => log.hookFailed('onHeld', error),
    );
  }

  #lose({ token, why, hardAt }: LostLease, running: Running, owner: LeaseOwner): void {
    const { context, boot, log, rounds } = running;
    const { onLost: policy, timing, fence } = this.#options;
    const { grant, end } = this.#own as OwnGrant;
    this.#softTimer?.clear();
    rounds.pause();
    const wasDeadAt = this.#hardAt - boot.suspendedMs;
    this.#hardAt = hardAt;
    const leftMs = Math.max(0, hardAt - boot.now());
    end(why === 'refused' ? 'the registry refused it' : 'not renewed in time');
    context.setMissing(true);
    log.lost(token, why, leftMs, owner);
    const stopMs = why === 'refused' ? Math.min(STOP_AFTER_REFUSAL_MS, timing.stopMs) : leftMs;
    // Never later than it was: the process may have been frozen past it.
    const deadAt = Math.min(wasDeadAt, context.clock.now() + stopMs);
    context.setDeadline(deadAt);
    const exitBy = deadAt - Math.min(EXIT_EARLY_MS, stopMs * EXIT_EARLY_SHARE);
    stopWork({
      ...{ name: this.name, policy, why, context, exitBy, log },
      fence: () => fence({ why, grant }),
      resume: () => this.#resume(running),
    });
  }

  /** Work has stopped: asks for the lease again, for a new token. */
  #resume({ context, rounds }: Running): void {
    if (this.#ended) return;
    context.setDeadline(undefined);
    this.#own = undefined;
    this.#apply({ kind: 'stopped' });
    rounds.retry();
  }

  #request(): LeaseRequest {
    const { name, holder, timing } = this.#options;
    return { name, holder, ttlMs: timing.ttlMs, data: this.#data };
  }

  async #free(claim: LeaseClaim): Promise<void> {
    await this.#running?.exchange.release(claim, RELEASE_TIMEOUT_MS);
  }

  #end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#softTimer?.clear();
    this.#running?.rounds.end();
    this.#hardAt = -Infinity;
    this.#apply({ kind: 'released' });
    this.#own?.end(reason);
    this.#running?.context.setMissing(true);
    this.#running?.context.setDeadline(undefined);
    this.#waiters.reject(this.#over());
  }

  #notHeld(): HaleError {
    const text = `lease "${this.name}" is not held (${this.#state.kind})`;
    return new HaleError('HALE_LEASE_LOST', text);
  }

  #over(): HaleError {
    return new HaleError('HALE_STATE', `lease "${this.name}" will not be held any more`);
  }
}

function heldView({ token, softAt }: HeldLease, now: number) {
  return { fence: String(token), remainingMs: Math.max(0, softAt - now) };
}
