import type { Clock } from './core/clock.js';
import { type FetchLike, httpTarget } from './core/http-client.js';
import type { Logger } from './core/logger.js';
import { OptionError } from './core/errors.js';
import { createRedactor } from './core/redact.js';
import { createSafeLogger } from './core/safe-logger.js';
import { durationOption, functionOption, objectOption, textOption } from './core/validate.js';
import {
  type ConsulHealthSource,
  type ConsulReporter,
  createConsulReporter,
} from './engine/consul-reporter.js';
import { systemClock } from './engine/system-clock.js';
import { stderrLogger } from './stderr.js';

export type { ConsulHealthSource, ConsulReporter };

/** A TTL check of a Consul agent. */
export interface ConsulTtlOptions {
  /** Id, not name, of the check, such as `service:orders-1`. */
  checkId: string;
  /** Time to live of the check as it was registered; a third of it lies between two reports. At least 1000 ms. */
  ttlMs: number;
  /** Address of the agent. @defaultValue 'http://127.0.0.1:8500' */
  url?: string | URL;
  /** ACL token, sent as `X-Consul-Token`. @defaultValue none */
  token?: string;
  /** Id of the service to deregister at the end of the drain. @defaultValue the check is left critical */
  deregister?: string;
  /** @defaultValue the global `fetch` */
  fetch?: FetchLike;
  /** @defaultValue JSON lines on standard error */
  logger?: Logger;
  /** @defaultValue the system clock */
  clock?: Clock;
}

const AGENT = 'http://127.0.0.1:8500';
const SHORTEST_TTL_MS = 1000;

/**
 * Reports readiness to a TTL check of Consul: at once when it changes, otherwise three times per time to live, with the
 * reasons as note. The drain is reported before anything closes. Reports come from the main loop, so one that stands
 * still lets the check run out.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function reportToConsul(
  health: ConsulHealthSource,
  options: ConsulTtlOptions,
): ConsulReporter {
  const {
    checkId,
    ttlMs,
    url = AGENT,
    token,
    deregister,
    fetch,
    clock = systemClock,
  } = objectOption('options', options);
  functionOption('reportToConsul (a health): report', health?.report);
  return createConsulReporter({
    health,
    agent: httpTarget('url', url),
    checkId: textOption('checkId', checkId),
    ttlMs: durationOption('ttlMs', ttlMs, SHORTEST_TTL_MS),
    token: tokenOption(token),
    ...(deregister === undefined ? {} : { serviceId: textOption('deregister', deregister) }),
    fetch: fetch === undefined ? undefined : functionOption('fetch', fetch),
    clock,
    random: Math.random,
    logger: createSafeLogger(options.logger ?? stderrLogger(clock), createRedactor()),
  });
}

/** The value stays out of the error text. */
function tokenOption(token: unknown): string | undefined {
  if (token === undefined || (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)))
    return token;
  throw new OptionError('token', 'a text without spaces', typeof token);
}
