import type { Server } from 'node:http';
import type { Logger } from '../core/logger.js';
import {
  type ServerTimeoutOptions,
  checkServerTimeouts,
  timeoutProblem,
  timeoutsFor,
} from '../core/server-timeouts.js';

/**
 * Makes an HTTP server outlive its load balancer's idle connections, or says what is wrong; either way it is logged.
 * @throws OptionError on a bad option.
 */
export function settleTimeouts(
  server: Server,
  options: ServerTimeoutOptions,
  logger: Logger,
): void {
  checkServerTimeouts(options);
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
