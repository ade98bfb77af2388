import type { LeaseOutcome } from '../core/lease-host.js';
import type { LeaseStep } from '../core/lease-state.js';
import type {
  LeaseCall,
  LeaseClaim,
  LeaseOwner,
  LeaseRequest,
  LeaseStore,
} from '../core/lease-store.js';
import type { Attempt, Attempts } from './attempts.js';
import type { KeeperLog } from './keeper-log.js';

/** What one exchange with the registry has shown. */
export interface Exchanged {
  readonly step: LeaseStep;
  /** Who has the lease instead. */
  readonly owner?: LeaseOwner;
}

/** One exchange with the registry at a time: counted, logged, never rejecting. */
export interface Exchange {
  acquire(request: LeaseRequest, timeoutMs: number): Promise<Exchanged>;
  /** `remainingMs` is for the log: the time until work must stop. */
  renew(
    request: LeaseRequest,
    claim: LeaseClaim,
    timeoutMs: number,
    remainingMs: number,
  ): Promise<Exchanged>;
  release(claim: LeaseClaim, timeoutMs: number): Promise<void>;
}

export interface ExchangeOptions {
  readonly store: LeaseStore;
  readonly attempts: Attempts;
  readonly log: KeeperLog;
  now(): number;
  count(outcome: LeaseOutcome): void;
  onLatency(ms: number): void;
}

const NOTHING: Exchanged = { step: { kind: 'tick' } };

/** Creates the exchange with one store. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { store, attempts, log, count } = options;

  const send = async <T>(
    timeoutMs: number,
    call: (call: LeaseCall) => Promise<T>,
  ): Promise<{ sentAt: number; attempt: Attempt<T> }> => {
    // First of all: whatever the request meets on its way shortens the lease, and never lengthens it.
    const sentAt = options.now();
    const attempt = await attempts.run(timeoutMs, call);
    if (attempt.kind === 'answered') options.onLatency(options.now() - sentAt);
    return { sentAt, attempt };
  };

  const failed = (
    what: 'acquire' | 'renew' | 'release',
    attempt: Exclude<Attempt<unknown>, { kind: 'answered' }>,
    remainingMs?: number,
  ): Exchanged => {
    count(attempt.kind);
    log.failed(what, attempt.kind === 'timeout' ? 'no answer in time' : attempt.error, remainingMs);
    return NOTHING;
  };

  return {
    async acquire(request, timeoutMs) {
      const { sentAt, attempt } = await send(timeoutMs, (call) => store.acquire(request, call));
      if (attempt.kind !== 'answered') return failed('acquire', attempt);
      const { value } = attempt;
      count(value.kind);
      if (value.kind === 'granted') return { step: { ...value, sentAt } };
      log.denied(value.owner);
      return { step: { kind: 'tick' }, owner: value.owner };
    },
    async renew(request, { token }, timeoutMs, remainingMs) {
      const renewal = { ...request, token };
      const { sentAt, attempt } = await send(timeoutMs, (call) => store.renew(renewal, call));
      if (attempt.kind !== 'answered') return failed('renew', attempt, remainingMs);
      const { value } = attempt;
      if (value.kind === 'lost') {
        count('refused');
        return { step: { kind: 'refused' }, owner: value.owner };
      }
      count('renewed');
      log.renewed(token);
      return { step: { ...value, sentAt } };
    },
    async release(claim, timeoutMs) {
      const { attempt } = await send(timeoutMs, (call) => store.release(claim, call));
      if (attempt.kind !== 'answered') {
        failed('release', attempt);
        return;
      }
      count(attempt.value.kind);
      if (attempt.value.kind === 'released') log.released(claim.token);
      else log.notHeld(claim.token);
    },
  };
}
