import { booleanOption, durationOption, objectOption } from './validate.js';

/** Keep-alive settings of an HTTP server, milliseconds; 0 means none. */
export interface ServerTimeouts {
  readonly keepAliveTimeout: number;
  readonly headersTimeout: number;
}

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
  if (drains !== false) checkServerTimeouts(objectOption('drains', drains));
}

/** Checks them. @throws OptionError on a bad option. */
export function checkServerTimeouts(options: Partial<ServerTimeoutOptions>): void {
  const { loadBalancerIdleTimeoutMs: idleMs, setTimeouts = true } = options;
  booleanOption('drains.setTimeouts', setTimeouts);
  if (idleMs !== undefined) durationOption('loadBalancerIdleTimeoutMs', idleMs, 0);
}

/** The server must be the last to give up an idle connection, by more than a network's delay. */
const KEEP_ALIVE_MARGIN_MS = 5000;
const HEADERS_MARGIN_MS = 1000;

/**
 * The timeouts with which a load balancer never sends a request on a connection that the server is just closing:
 * keep-alive outlives the balancer's idle timeout, and waiting for headers outlives keep-alive. Longer ones stay.
 */
export function timeoutsFor(loadBalancerIdleMs: number, current: ServerTimeouts): ServerTimeouts {
  const keepAliveTimeout = atLeast(
    current.keepAliveTimeout,
    loadBalancerIdleMs + KEEP_ALIVE_MARGIN_MS,
  );
  if (keepAliveTimeout === 0) return { keepAliveTimeout, headersTimeout: current.headersTimeout };
  return {
    keepAliveTimeout,
    headersTimeout: atLeast(current.headersTimeout, keepAliveTimeout + HEADERS_MARGIN_MS),
  };
}

/** What is wrong with the timeouts, with the fix; absent when nothing is. */
export function timeoutProblem(
  loadBalancerIdleMs: number,
  current: ServerTimeouts,
): string | undefined {
  const wanted = timeoutsFor(loadBalancerIdleMs, current);
  const fixes = (['keepAliveTimeout', 'headersTimeout'] as const)
    .filter((name) => wanted[name] !== current[name])
    .map((name) => `server.${name} = ${wanted[name]} (is ${current[name]})`);
  if (fixes.length === 0) return undefined;
  return `the server closes idle connections before the load balancer does (${loadBalancerIdleMs} ms), which the balancer answers with 502; set ${fixes.join(' and ')}`;
}

/** 0 never times out, which is longer than anything. */
function atLeast(current: number, wantedMs: number): number {
  return current === 0 ? 0 : Math.max(current, wantedMs);
}
