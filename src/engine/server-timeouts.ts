import type { Server } from 'node:http';
import type { Logger } from '../core/logger.js';
import { timeoutProblem, timeoutsFor } from '../core/server-timeouts.js';
import { booleanOption, durationOption, objectOption } from '../core/validate.js';

/** What is in front of a server. */
export interface ServerTimeoutOptions {
  /** After how long the load balancer in front closes an idle connection. @defaultValue unknown, nothing is set */
  loadBalancerIdleTimeoutMs?: number;
  /** Whether hale may set `keepAliveTimeout` and `headersTimeout`; otherwise it only warns. @defaultValue true */
  setTimeouts: boolean;
}

/**
 * Checks how a server is to take part in the drain, before there is a server; `false` leaves it out.
 * @throws OptionError on a bad option.
 */
export function checkDrains(drains: Partial<ServerTimeoutOptions> | false): void {
  if (drains !== false) checkTimeouts(objectOption('drains', drains));
}

function checkTimeouts(options: Partial<ServerTimeoutOptions>): void {
  const { loadBalancerIdleTimeoutMs: idleMs, setTimeouts = true } = options;
  booleanOption('drains.setTimeouts', setTimeouts);
  if (idleMs !== undefined) durationOption('loadBalancerIdleTimeoutMs', idleMs, 0);
}

/**
 * Makes an HTTP server outlive its load balancer's idle connections, or says what is wrong; either way it is logged.
 * @throws OptionError on a bad option.
 */
export function settleTimeouts(
  server: Server,
  options: ServerTimeoutOptions,
  logger: Logger,
): void {
  checkTimeouts(options);
  const { loadBalancerIdleTimeoutMs: idleMs, setTimeouts: maySet } = options;
  if (idleMs === undefined) return;
  const problem = timeoutProblem(idleMs, server);
  const fields = { loadBalancerIdleTimeoutMs: idleMs };
  if (problem !== undefined && !maySet) {
    logger.warn({ event: 'keep_alive_too_short', ...fields, ...timeouts(server) }, problem);
    return;
  }
  Object.assign(server, timeoutsFor(idleMs, server));
  logger.info(
    { event: 'server_timeouts', ...fields, ...timeouts(server) },
    `idle connections are kept for ${server.keepAliveTimeout} ms, longer than the load balancer's ${idleMs} ms`,
  );
}

function timeouts({ keepAliveTimeout, headersTimeout, requestTimeout }: Server): object {
  return { keepAliveTimeout, headersTimeout, requestTimeout };
}
