import { durationOption } from '../core/validate.js';
import type { ProbeRequest } from '../probe/handler.js';
import { type ProbeResponse, refusal } from '../probe/prepared.js';

/** What answers fetch-style requests. */
export type FetchHandler<A extends readonly unknown[] = []> = (
  request: Request,
  ...rest: A
) => Promise<Response>;

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
 * Answers probes in a fetch-style handler: on serverless platforms, in Hono, Bun or Deno. The first request starts
 * hale. Whatever is no probe is answered with 404, so that it can stand behind a router or in front of one.
 * @throws HaleError `HALE_STATE` (the promise rejects) unless `isolation` is `'inline'`.
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

function toResponse({ status, headers, body }: ProbeResponse): Response {
  const pairs = new Headers();
  for (let index = 0; index + 1 < headers.length; index += 2)
    pairs.append(headers[index] ?? '', headers[index + 1] ?? '');
  return new Response(body === '' ? null : body, { status, headers: pairs });
}
