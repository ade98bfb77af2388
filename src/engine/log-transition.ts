import type { LogFields, Logger } from '../core/logger.js';
import type { CheckTransition } from './monitored-check.js';

/** Logs a change of verdict: what it is now, why, and how long it had been otherwise (O2). */
export function logTransition(
  logger: Logger,
  transition: CheckTransition,
  context: LogFields = {},
): void {
  const { check, impact, from, to, lastedMs, outcome } = transition;
  const fields = {
    event: 'check_transition',
    check,
    impact,
    from,
    to,
    lastedMs: Math.round(lastedMs),
    durationMs: Math.round(outcome.durationMs),
    ...(outcome.code === undefined ? {} : { code: outcome.code }),
    ...(outcome.output === undefined ? {} : { output: outcome.output }),
    ...context,
  };
  if (to === 'pass')
    logger.info(fields, `check "${check}" passes after ${duration(lastedMs)} of ${from}`);
  else if (to === 'fail' && impact === 'critical') logger.error(fields, `check "${check}" fails`);
  else logger.warn(fields, `check "${check}" is at ${to}`);
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
