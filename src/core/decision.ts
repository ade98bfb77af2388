import type { Status } from './check.js';
import { type Reason, byPrecedence } from './reason.js';

/** What a probe answers, and until when the answer holds if nothing else changes. */
export interface Decision {
  readonly status: Status;
  /** The first of the reasons by precedence; `ok` when there is none. */
  readonly reason: Reason;
  /** Everything that holds, by precedence; empty at `pass`. */
  readonly reasons: readonly Reason[];
  /** Present when this instance stays in rotation only because too many others have left: what it would leave for (R10). */
  readonly heldFor?: readonly Reason[];
  /** Monotonic time at which the answer must be worked out again; Infinity when only a change can alter it. */
  readonly validUntil: number;
}

/** Combines what fails and what only warns into one decision. */
export function decide(
  failures: readonly Reason[],
  warnings: readonly Reason[],
  validUntil = Infinity,
): Decision {
  const status: Status = failures.length > 0 ? 'fail' : warnings.length > 0 ? 'warn' : 'pass';
  const reasons = [...byPrecedence(failures), ...byPrecedence(warnings)];
  return { status, reason: reasons[0] ?? 'ok', reasons, validUntil };
}
