import type { Check, CheckOptions } from '../core/check.js';
import { OptionError } from '../core/errors.js';
import {
  type FetchLike,
  type HttpTarget,
  discardBody,
  httpLabel,
  httpRequest,
  httpTarget,
  readBody,
  requestHeaders,
} from '../core/http-client.js';
import { choiceOption, functionOption, integerOption } from '../core/validate.js';

export type { FetchLike } from '../core/http-client.js';

/** A status code, or a range from the first to the last, both included. */
export type StatusRange = number | readonly [from: number, to: number];

/** Options of {@link httpUpstream}. */
export interface HttpUpstreamOptions extends CheckOptions {
  /** @defaultValue 'GET' */
  method?: 'GET' | 'HEAD';
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** The statuses that pass. @defaultValue [[200, 299]] */
  expectedStatus?: readonly StatusRange[];
  /** Fails the check when it returns false for the body's text; GET only. */
  acceptBody?: (body: string) => boolean;
  /** A body is read up to this many bytes; a longer one is cancelled. @defaultValue 65536 */
  maxBodyBytes?: number;
  /** Replaces the global `fetch`. */
  fetch?: FetchLike;
}

type Settings = Required<
  Pick<HttpUpstreamOptions, 'method' | 'expectedStatus' | 'maxBodyBytes'>
> & {
  target: HttpTarget;
  headers: Record<string, string>;
  acceptBody: ((body: string) => boolean) | undefined;
  fetch: FetchLike | undefined;
};

/**
 * Sends one request of its own to an HTTP service. Redirects are not followed: a login page behind one
 * is not health. The body is always read or cancelled, so the connection can be used again.
 *
 * - pass: the status is expected and `acceptBody`, if given, accepts the body.
 * - warn: never.
 * - fail: another status, a redirect, a body that is refused or too large to judge, a failed request,
 *   or no answer before the timeout.
 *
 * Suggested impact: `degraded` or `optional`; a peer's own readiness is no sound input (R9). Cost: one
 * request per run, up to `maxBodyBytes` of body.
 * @param url - absolute http or https URL; credentials in it are sent as Basic authorization
 * @throws OptionError (`HALE_OPTION_INVALID`) for a bad URL or an option out of range
 */
export function httpUpstream(url: string | URL, options: HttpUpstreamOptions = {}): Check {
  const { method, headers, expectedStatus, acceptBody, maxBodyBytes, fetch, ...rest } = options;
  const target = httpTarget('httpUpstream.url', url);
  const settings = checkSettings({
    target,
    method: method ?? 'GET',
    headers: requestHeaders('httpUpstream.headers', target, headers),
    expectedStatus: expectedStatus ?? [[200, 299]],
    acceptBody,
    maxBodyBytes: maxBodyBytes ?? 65_536,
    fetch,
  });
  return {
    componentType: 'component',
    measurement: 'responseTime',
    ...rest,
    run: (signal) => request(settings, signal),
  };
}

function checkSettings(settings: Settings): Settings {
  const path = (name: string) => `httpUpstream.${name}`;
  choiceOption(path('method'), settings.method, ['GET', 'HEAD']);
  integerOption(path('maxBodyBytes'), settings.maxBodyBytes, { min: 1 });
  if (settings.expectedStatus.length === 0) {
    throw new OptionError(path('expectedStatus'), 'a list of statuses or ranges', []);
  }
  for (const range of settings.expectedStatus) {
    const [from, to] = bounds(range);
    integerOption(path('expectedStatus'), from, { min: 100, max: 599 });
    integerOption(path('expectedStatus'), to, { min: from, max: 599 });
  }
  if (settings.fetch !== undefined) functionOption(path('fetch'), settings.fetch);
  if (settings.acceptBody === undefined) return settings;
  functionOption(path('acceptBody'), settings.acceptBody);
  if (settings.method === 'HEAD') {
    throw new OptionError(path('acceptBody'), 'left out with method HEAD', settings.acceptBody);
  }
  return settings;
}

function bounds(range: StatusRange): readonly [number, number] {
  return typeof range === 'number' ? [range, range] : range;
}

async function request(settings: Settings, signal: AbortSignal): Promise<void> {
  const { target, method, maxBodyBytes } = settings;
  const response = await httpRequest(settings, signal);
  const problem = statusProblem(settings, response);
  if (problem !== undefined) {
    discardBody(response);
    throw new Error(`${method} ${target.label} ${problem}`);
  }
  judgeBody(settings, await readBody(response, maxBodyBytes, signal));
}

function statusProblem(
  { expectedStatus, target }: Settings,
  response: Response,
): string | undefined {
  const { status } = response;
  const isExpected = expectedStatus
    .map(bounds)
    .some(([from, to]) => status >= from && status <= to);
  if (isExpected) return undefined;
  // Runtimes that follow the browser rule hide a manual redirect behind status 0.
  const isRedirect = (status >= 300 && status < 400) || response.type === 'opaqueredirect';
  if (!isRedirect) return `answered ${status}`;
  const location = response.headers.get('location');
  const isUsable = location !== null && URL.canParse(location, target.url);
  const to = isUsable ? ` to ${httpLabel(new URL(location, target.url))}` : '';
  return `answered ${status} with a redirect${to}; redirects are not followed`;
}

function judgeBody({ acceptBody, maxBodyBytes, method, target }: Settings, body?: string): void {
  if (acceptBody === undefined) return;
  if (body === undefined) {
    throw new Error(`${method} ${target.label} sent more than ${maxBodyBytes} bytes`);
  }
  if (!acceptBody(body)) throw new Error(`${method} ${target.label} sent a body that was refused`);
}
