import type { Decision } from '../core/decision.js';
import type { Status } from '../core/check.js';

/** The media type of every probe body (draft-inadarei-api-health-check-06, section 3). */
export const HEALTH_JSON = 'application/health+json';

/** Probe answers must never come out of a cache. */
export const NO_CACHE = 'no-cache, no-store, must-revalidate';

const SERVICE_STATUS = { pass: 'ok', warn: 'degraded', fail: 'unavailable' } as const;

/** The `X-Service-Status` header of a status (R6). */
export function serviceStatus(status: Status): 'ok' | 'degraded' | 'unavailable' {
  return SERVICE_STATUS[status];
}

/**
 * The public body of a probe: constant in shape, status and reason code only (E3).
 * @param remaining start-up tasks not done yet; only the start-up probe has it (S2).
 */
export function probeBody({ status, reason }: Decision, remaining?: number): string {
  return JSON.stringify({ status, reason, ...(remaining === undefined ? {} : { remaining }) });
}
