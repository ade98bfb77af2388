import { keepLength } from '../core/replace-method.js';
import { durationOption, functionOption, objectOption } from '../core/validate.js';
import type { ProbeRequest } from '../probe/handler.js';
import {
  type FetchMountOptions,
  type FetchMountableHealth,
  mountOnFetch,
  toResponse,
} from '../probe/mount-fetch.js';
import { type ProbeResponse, refusal } from '../probe/prepared.js';

/** What answers fetch-style requests. */
export type FetchHandler<A extends readonly unknown[] = []> = (
  request: Request,
  ...rest: A
) => Promise<Response>;

/** A handler of the user's own, which may answer at once. */
export type AnyFetchHandler<A extends readonly unknown[] = []> = (
  request: Request,
  ...rest: A
) => Response | Promise<Response>;

/** What these handlers use of `Health`. */
export interface FetchHealth {
  start(): Promise<unknown>;
  untilStarted(withinMs: number): Promise<boolean>;
  handle(request: ProbeRequest): ProbeResponse | Promise<ProbeResponse>;
}

/** Options of {@link coldStartGuard}. */
export interface ColdStartOptions {
  /** Longest time a request waits for start-up, in milliseconds. @defaultValue 5000 */
  waitMs?: number;
}

const COLD_START_WAIT_MS = 5000;
const NOT_STARTED = refusal(503, 'starting', ['Retry-After', '1']);

/**
 * Puts the probes before a fetch-style handler: `Bun.serve`, `Deno.serve`, a worker, Elysia. Its answers are what the
 * probe port answers; the first of them starts hale. Everything else goes on to the handler.
 * @throws OptionError on a bad option.
 */
export function withHealth<A extends readonly unknown[]>(
  handler: AnyFetchHandler<A>,
  health: FetchMountableHealth,
  options: FetchMountOptions = {},
): AnyFetchHandler<A> {
  functionOption('withHealth (a handler)', handler);
  const { answer, run } = mountOnFetch(health, objectOption('withHealth', options));
  const entered: AnyFetchHandler<A> = (request, ...rest) =>
    answer(request) ?? run(request, () => handler(request, ...rest));
  // A handler that declares no parameter is handed none.
  if (handler.length > 0) keepLength(entered, handler);
  return entered;
}

/**
 * A fetch-style handler that answers every path the probe port answers, and 404 to the rest: a route of its own, such as
 * a function of a serverless platform. The first request starts hale.
 */
export function fetchHandler(health: FetchHealth): FetchHandler {
  return async (request) => {
    await health.start();
    const { pathname, search } = new URL(request.url);
    return toResponse(await health.handle({ method: request.method, url: pathname + search }));
  };
}

/**
 * Stands in front of a handler: the first request starts hale, and requests wait for start-up instead of meeting a
 * half-initialised instance. Those that would wait too long get 503 with `Retry-After`.
 * @throws OptionError on a bad `waitMs`.
 */
export function coldStartGuard<A extends readonly unknown[]>(
  health: FetchHealth,
  handler: FetchHandler<A>,
  { waitMs = COLD_START_WAIT_MS }: ColdStartOptions = {},
): FetchHandler<A> {
  durationOption('coldStartGuard.waitMs', waitMs, 0);
  let warm = false;
  return async (request, ...rest) => {
    if (!warm) {
      await health.start();
      warm = await health.untilStarted(waitMs);
    }
    return warm ? handler(request, ...rest) : toResponse(NOT_STARTED);
  };
}
