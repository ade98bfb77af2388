import { routeText } from '../core/route-text.js';
import { booleanOption } from '../core/validate.js';
import { type MountOptions, type MountableHealth, createMount, isLeaving } from './mount.js';
import type { ProbeResponse } from './prepared.js';

/** What mounting probes in a fetch-style handler uses of `Health`. */
export interface FetchMountableHealth extends MountableHealth {
  start(): Promise<unknown>;
  untilStarted(withinMs: number): Promise<boolean>;
  working(label: string): () => void;
}

/** Where probes are mounted, and what else is done with requests. */
export interface FetchMountOptions extends MountOptions {
  /**
   * Whether requests are counted as work in flight, from the request to its `Response`. Leave it off where
   * `health.drains(server)` counts them.
   * @defaultValue false
   */
  counts?: boolean;
}

/** Answers a probe; `undefined` leaves the request to the application. */
export type AnswerFetch = (request: Request) => Promise<Response> | undefined;

/** What is done with the requests of a fetch-style handler. */
export interface FetchMount {
  readonly answer: AnswerFetch;
  /** Runs what answers a request of the application; counted, and its answer told to close, if `counts` says so. */
  run(request: Request, next: () => Response | Promise<Response>): Response | Promise<Response>;
}

/**
 * Mounts the probes where fetch-style requests arrive. The first probe starts hale, for platforms that give a program
 * no other moment to; its promise rejects as `start()` does.
 * @throws OptionError on a bad `basePath`.
 */
export function mountOnFetch(
  health: FetchMountableHealth,
  { counts = false, ...options }: FetchMountOptions = {},
): FetchMount {
  booleanOption('counts', counts);
  const mount = createMount(
    {
      probePaths: health.probePaths,
      phase: health.phase,
      handle: (request) => afterStart(health).then(() => health.handle(request)),
    },
    options,
  );
  return {
    answer(request) {
      const answer = mount({ method: request.method, url: pathOf(request) });
      if (answer === undefined) return undefined;
      return Promise.resolve(answer).then((settled) => toResponse(settled, isLeaving(health)));
    },
    run(request, next) {
      if (!counts) return next();
      return counted(health, routeText(request.method, pathOf(request)), next);
    },
  };
}

/** Start-up without tasks is complete a turn later, which a platform that freezes after its answer may never give. */
async function afterStart(health: FetchMountableHealth): Promise<void> {
  await health.start();
  if (health.phase === 'starting') await health.untilStarted(1);
}

/** The path as it came over the wire: taking an URL apart would normalise what it finds. */
function pathOf({ url }: Request): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const end = url.search(/[?#]/);
  return url.slice(start === -1 ? url.length : start, end === -1 ? undefined : end) || '/';
}

async function counted(
  health: FetchMountableHealth,
  label: string,
  next: () => Response | Promise<Response>,
): Promise<Response> {
  const end = health.working(label);
  try {
    const response = await next();
    return isLeaving(health) ? closing(response) : response;
  } finally {
    end();
  }
}

/** Tells the client that its connection ends with this response (D3). */
function closing(response: Response): Response {
  try {
    response.headers.set('Connection', 'close');
    return response;
  } catch {
    // The headers of some responses cannot be changed, such as those of a redirect or of `fetch()`.
    const copy = new Response(response.body, response);
    copy.headers.set('Connection', 'close');
    return copy;
  }
}

/** The answer of a probe as a `Response`; while the process leaves, its connection ends with it. */
export function toResponse({ status, headers, body }: ProbeResponse, closes = false): Response {
  const pairs = new Headers();
  for (let index = 0; index + 1 < headers.length; index += 2)
    pairs.append(headers[index] ?? '', headers[index + 1] ?? '');
  if (closes) pairs.set('Connection', 'close');
  return new Response(body === '' ? null : body, { status, headers: pairs });
}
