import type { ResolvedAdmission } from '../core/admission-options.js';
import type { Clock, Random } from '../core/clock.js';
import type { ConcurrencyLimit, LimitSample } from '../core/concurrency-limit.js';
import { OptionError } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import { errorText } from '../core/error-text.js';
import { onceOver } from '../core/response-over.js';

/** Whether a request may be worked on. */
export type AdmissionResult =
  | {
      readonly admitted: true;
      /** To be called once when it has ended; `failed` tells an adaptive limit of overload. */
      done(failed?: boolean): void;
    }
  | { readonly admitted: false; readonly retryAfterMs: number };

/** The part of a response (node:http, Express, HTTP/2) that admission uses. */
export interface AdmissionResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** A middleware for node:http, Connect and Express: calls `next` for a request that is admitted, else answers 503. */
export type AdmissionMiddleware = (
  request: unknown,
  response: AdmissionResponse,
  next: () => void,
) => void;

/** Turns requests away before any work when too many are being worked on (R8). */
export interface Admission {
  /** Asks for one request. @throws OptionError when no limit was given. */
  admit(): AdmissionResult;
  /** @throws OptionError when no limit was given. */
  middleware(): AdmissionMiddleware;
}

export interface AdmissionPartOptions {
  readonly options: ResolvedAdmission | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const UNAVAILABLE = 503;
const LOG_EVERY_MS = 10_000;
const BODY = '{"status":"fail","reason":"at_capacity"}';

/** Creates it with nothing admitted. */
export function createAdmission({
  options,
  clock,
  random,
  logger,
}: AdmissionPartOptions): Admission {
  let working = 0;
  let rejected = 0;
  let loggedAt = -Infinity;

  const configured = (): ResolvedAdmission => {
    if (options !== undefined) return options;
    throw new OptionError('admission.limit', 'set, or capacity.leaveAt', undefined);
  };
  const reject = ({ limit, retryAfterMs }: ResolvedAdmission): AdmissionResult => {
    rejected += 1;
    if (clock.now() - loggedAt >= LOG_EVERY_MS) {
      const fields = { event: 'requests_rejected', rejected, limit: limit.limit };
      logger.warn(fields, `${rejected} requests turned away at the limit of ${limit.limit}`);
      loggedAt = clock.now();
      rejected = 0;
    }
    return { admitted: false, retryAfterMs: Math.round(retryAfterMs * (1 + random())) };
  };
  /** A limit of the application's own may throw; the request that has ended must not. */
  const observe = (limit: ConcurrencyLimit, sample: LimitSample): void => {
    try {
      limit.observe(sample);
    } catch (error) {
      const output = errorText(error);
      logger.error({ event: 'limit_failed', output }, `admission.limit threw: ${output}`);
    }
  };
  const admit = (): AdmissionResult => {
    const resolved = configured();
    if (working >= resolved.limit.limit) return reject(resolved);
    working += 1;
    const startedAt = clock.now();
    let open = true;
    return {
      admitted: true,
      done(failed = false) {
        if (!open) return;
        open = false;
        const durationMs = clock.now() - startedAt;
        observe(resolved.limit, { durationMs, inFlight: working, failed });
        working -= 1;
      },
    };
  };
  return {
    admit,
    middleware() {
      configured();
      return (_request, response, next) => {
        const result = admit();
        if (result.admitted) {
          onceOver(response, () => result.done(response.statusCode === UNAVAILABLE));
          next();
        } else refuse(response, result.retryAfterMs);
      };
    },
  };
}

function refuse(response: AdmissionResponse, retryAfterMs: number): void {
  response.statusCode = UNAVAILABLE;
  response.setHeader('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1000))));
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Cache-Control', 'no-store');
  response.end(BODY);
}
