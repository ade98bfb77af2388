import { HaleError, OptionError } from '../../core/errors.js';
import type { LeaseToken } from '../../core/lease-store.js';
import { textOption } from '../../core/validate.js';

/** Who writes, and under which token; a grant of a lease is one. */
export interface FenceClaim {
  readonly token: LeaseToken;
  readonly holder: string;
}

/** A claim whose signal, as a grant has one, ends the wait for a write; the write may have taken effect then. */
export interface SignalledClaim extends FenceClaim {
  readonly signal?: AbortSignal;
}

/**
 * Whether a resource that has seen one claim may accept another: a higher token, or the same one of the same holder. The
 * holder counts because a registry that failed over may have granted a token twice.
 */
export function isAccepted(claim: FenceClaim, seen: FenceClaim | undefined): boolean {
  if (seen === undefined || claim.token > seen.token) return true;
  return claim.token === seen.token && claim.holder === seen.holder;
}

/** The error of a write under a token that is too old. */
export function fencedError(resource: string, { token, holder }: FenceClaim): HaleError {
  const text = `"${resource}" has seen a newer token than ${token}, or the same of another holder than ${holder}`;
  return new HaleError('HALE_FENCED', text);
}

/**
 * Returns the claim as texts. @throws OptionError when it is none.
 */
export function claimTexts({ token, holder }: FenceClaim): { token: string; holder: string } {
  if (typeof token !== 'bigint' || token < 0n)
    throw new OptionError('claim.token', 'a bigint from 0', token);
  return { token: String(token), holder: textOption('claim.holder', holder) };
}
