import { errorText } from '../core/error-text.js';
import type { LeaseLoss } from './resolve-lease.js';
import type { LogFields, Logger } from '../core/logger.js';
import type { LeaseOwner, LeaseToken } from '../core/lease-store.js';

/** What a keeper tells: transitions, and every attempt that fails; never a renewal as usual (O2). */
export interface KeeperLog {
  granted(token: LeaseToken): void;
  denied(owner: LeaseOwner): void;
  renewed(token: LeaseToken): void;
  failed(what: 'acquire' | 'renew' | 'release', error: unknown, remainingMs?: number): void;
  regressed(token: LeaseToken, highest: LeaseToken): void;
  late(token: LeaseToken): void;
  lost(token: LeaseToken, why: LeaseLoss['why'], remainingMs: number, owner: LeaseOwner): void;
  released(token: LeaseToken): void;
  notHeld(token: LeaseToken): void;
  hookFailed(which: string, error: unknown): void;
}

/**
 * Creates the log of one lease. A token is logged as `fence`: a field called `token` holds a secret for every redactor; `about`
 * is in every line.
 */
export function createKeeperLog(logger: Logger, about: LogFields & { lease: string }): KeeperLog {
  const of = `lease "${about.lease}"`;
  let deniedBy: string | undefined;
  let failing = false;
  const tell = (level: keyof Logger, event: string, fields: LogFields, text: string): void =>
    logger[level]({ event, ...about, ...fields }, `${of} ${text}`);
  return {
    granted(token) {
      deniedBy = undefined;
      failing = false;
      tell('info', 'lease_granted', { fence: String(token) }, `granted with token ${token}`);
    },
    denied(owner) {
      failing = false;
      const by = owner.holder ?? 'another holder';
      // A standby is denied every other second.
      if (by === deniedBy) return;
      deniedBy = by;
      tell('info', 'lease_denied', ownerFields(owner), `is held by ${by}`);
    },
    renewed(token) {
      if (!failing) return;
      failing = false;
      tell('info', 'lease_renewed', { fence: String(token) }, 'renewed again');
    },
    failed(what, error, remainingMs) {
      failing = what !== 'release';
      const left = remainingMs === undefined ? {} : { remainingMs: Math.round(remainingMs) };
      const output = errorText(error);
      tell('warn', `lease_${what}_failed`, { output, ...left }, `could not ${what}: ${output}`);
    },
    regressed(token, highest) {
      const fields = { fence: String(token), highest: String(highest) };
      const text = `was offered token ${token} after ${highest}: the registry has forgotten something; refused`;
      tell('error', 'lease_token_regressed', fields, text);
    },
    late(token) {
      tell('warn', 'lease_late', { fence: String(token) }, 'granted too late to be used');
    },
    lost(token, why, remainingMs, owner) {
      const left = Math.round(remainingMs);
      const fields = { fence: String(token), why, remainingMs: left, ...ownerFields(owner) };
      const text =
        why === 'refused' ? 'is gone: the registry refused it' : 'was not renewed in time';
      tell('error', 'lease_lost', fields, `${text}; ${left} ms left to stop`);
    },
    released(token) {
      tell('info', 'lease_released', { fence: String(token) }, 'released');
    },
    notHeld(token) {
      const text = 'was no longer held when it was to be released';
      tell('warn', 'lease_not_held', { fence: String(token) }, text);
    },
    hookFailed(which, error) {
      const output = errorText(error);
      tell('error', 'lease_hook_failed', { hook: which, output }, `${which} failed: ${output}`);
    },
  };
}

function ownerFields({ holder, token }: LeaseOwner): LogFields {
  return {
    ...(holder === undefined ? {} : { owner: holder }),
    ...(token === undefined ? {} : { ownerFence: String(token) }),
  };
}
