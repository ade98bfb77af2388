import type { ReasonCode } from '../core/reason.js';

/** Each reason as a sentence without its end; `$` stands for the name it is about. */
const SENTENCES = new Map<string, string>(
  Object.entries({
    stopped: 'the process is about to end',
    draining: 'the process is shutting down',
    event_loop_stalled: 'the main loop is blocked',
    fatal: 'the program has declared itself beyond repair',
    guard_failed: 'the guard “$” fails',
    progress_stalled: '“$” makes no progress',
    lease_lost: 'a critical lease is not held',
    startup_timeout: 'the start has taken too long',
    starting: 'the start is not finished',
    maintenance: 'it was taken out of rotation by hand',
    stale: 'what is known is too old',
    check_failed: '“$” fails',
    group_failed: 'the group “$” is below its quorum',
    check_pending: '“$” has never finished a run',
    at_capacity: 'too much work is in flight',
    held_by_floor: 'it would leave, but too many others have left',
    check_degraded: '“$” is in trouble',
    group_degraded: 'the group “$” is in trouble',
    ok: 'nothing is wrong',
  } satisfies Record<ReasonCode, string>),
);

/** A reason in words, such as `“database” fails` for `check_failed:database`. */
export function reasonText(reason: string): string {
  const colon = reason.indexOf(':');
  const code = colon === -1 ? reason : reason.slice(0, colon);
  const name = colon === -1 ? undefined : reason.slice(colon + 1);
  if (code === 'stale' && name !== undefined) return `the result of “${name}” is too old`;
  const sentence = SENTENCES.get(code);
  // A newer reason than this page knows.
  if (sentence === undefined) return reason;
  return sentence.replace('$', () => name ?? '?');
}
