import type { LeaseImpact } from '../core/lease-host.js';
import {
  type LeaseTiming,
  type LeaseTimingOptions,
  resolveLeaseTiming,
} from '../core/lease-timing.js';
import type { LeaseStore } from '../core/lease-store.js';
import { OptionError } from '../core/errors.js';
import { choiceOption, functionOption, objectOption, textOption } from '../core/validate.js';
import type { LeaseGrant } from './grant.js';

/** Why a lease is gone. */
export interface LeaseLoss {
  /** `refused`: another may have it by now. `expired`: it was not renewed in time; work may go on until `remainingMs` is 0. */
  readonly why: 'refused' | 'expired';
  readonly grant: LeaseGrant;
}

/** Options of `createLease`. */
export interface LeaseOptions extends LeaseTimingOptions {
  store: LeaseStore;
  /** What is leased: 1 to 200 printable ASCII characters. */
  name: string;
  /**
   * Who this is, for people: 1 to 100 printable ASCII characters. A random part is added, so that two processes never
   * pass for one. @defaultValue the host name and the process id
   */
  holder?: string;
  /**
   * `exit` ends the process with a code other than 0. `pause` stops work, acquires again and resumes under a new token:
   * for a fleet that an outage of the registry must not stop as a whole.
   * @defaultValue 'exit'
   */
  onLost?: 'exit' | 'pause';
  /** Whether readiness fails while the lease is not held. @defaultValue 'critical' */
  impact?: LeaseImpact;
  /** Text for observers; {@link LeaseOptions.data} may change with `lease.update()`. @defaultValue '' */
  data?: string;
  /** Called with each grant. What it throws, or rejects with, is logged. */
  onHeld?: (grant: LeaseGrant) => unknown;
  /**
   * Stops the work that needs the lease; called after its signal has aborted. With `pause`, the lease is asked for again
   * once it resolves; if that takes until the deadline, or it fails, the process exits. Required with `pause`.
   */
  fence?: (loss: LeaseLoss) => unknown;
}

/** The options of a lease after defaults. */
export interface ResolvedLease {
  readonly store: LeaseStore;
  readonly name: string;
  readonly holder: string;
  readonly onLost: 'exit' | 'pause';
  readonly impact: LeaseImpact;
  readonly data: string;
  readonly timing: LeaseTiming;
  onHeld(grant: LeaseGrant): unknown;
  fence(loss: LeaseLoss): unknown;
}

const MAX_DATA = 4096;

/**
 * Fills in defaults.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function resolveLease(given: LeaseOptions): ResolvedLease {
  const options = objectOption('lease', given);
  const { store, onLost = 'exit', impact = 'critical', data = '' } = options;
  return {
    store: storeOption('lease.store', store),
    name: asciiOption('lease.name', options.name, 200),
    holder: holderOption('lease.holder', options.holder),
    onLost: choiceOption('lease.onLost', onLost, ['exit', 'pause']),
    impact: choiceOption('lease.impact', impact, ['critical', 'optional']),
    data: dataOption(data),
    timing: resolveLeaseTiming(options, store.minTtlMs),
    onHeld: functionOption('lease.onHeld', options.onHeld ?? (() => {})),
    fence: fenceOption(options, onLost),
  };
}

/** Without it nobody would know whether work has stopped before the lease is asked for again. */
function fenceOption({ fence }: LeaseOptions, onLost: unknown): ResolvedLease['fence'] {
  if (fence !== undefined || onLost !== 'pause')
    return functionOption('lease.fence', fence ?? (() => {}));
  const accepted = `a function that resolves once work has stopped, with onLost: 'pause'`;
  throw new OptionError('lease.fence', accepted, fence);
}

/** Returns the text observers get. @throws OptionError when it is none, or too long. */
export function dataOption(data: unknown): string {
  if (typeof data === 'string' && data.length <= MAX_DATA) return data;
  throw new OptionError('lease.data', `a text of up to ${MAX_DATA} characters`, data);
}

/** Returns the store. @throws OptionError when it is none. */
export function storeOption(option: string, store: LeaseStore): LeaseStore {
  if (typeof store?.acquire === 'function' && typeof store.renew === 'function') return store;
  throw new OptionError(option, 'a lease store, such as sqliteLease(db)', store);
}

const PRINTABLE = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Returns a holder that no other process, and no other lease of this one, passes for.
 * @throws OptionError when the part for people is not printable, or too long.
 */
export function holderOption(option: string, given: unknown): string {
  return `${asciiOption(option, given ?? defaultHolder(), 100)}#${nonce()}`;
}

/** Keys, headers and column values of every backend can hold it as it is. */
function asciiOption(option: string, value: unknown, longest: number): string {
  const text = textOption(option, value);
  if (text.length <= longest && PRINTABLE.test(text)) return text;
  throw new OptionError(option, `1 to ${longest} printable ASCII characters`, value);
}

function defaultHolder(): string {
  const host = process.getBuiltinModule('node:os').hostname().slice(0, 80);
  return `${PRINTABLE.test(host) ? host : 'host'}:${process.pid}`;
}

function nonce(): string {
  return process.getBuiltinModule('node:crypto').randomUUID().slice(0, 13);
}
