import { untilAborted } from '../core/abort.js';
import type { Check, CheckOptions } from '../core/check.js';
import { OptionError } from '../core/errors.js';
import { choiceOption, functionOption, integerOption } from '../core/validate.js';

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

/** The part of `fetch` that {@link httpUpstream} uses. */
export type FetchLike = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    redirect: 'manual';
    signal: AbortSignal;
  },
) => Promise<Response>;

type Settings = Required<
  Pick<HttpUpstreamOptions, 'method' | 'expectedStatus' | 'maxBodyBytes'>
> & {
  target: Target;
  headers: Record<string, string>;
  acceptBody: ((body: string) => boolean) | undefined;
  fetch: FetchLike | undefined;
};

interface Target {
  /** What is requested, without credentials. */
  url: string;
  /** For texts: without credentials and query, both of which may hold secrets. */
  label: string;
  authorization: Record<string, string>;
}

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
  const target = parseTarget(url);
  const settings = checkSettings({
    target,
    method: method ?? 'GET',
    headers: { 'user-agent': 'hale', ...target.authorization, ...normalized(headers) },
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

function parseTarget(url: string | URL): Target {
  const accepted = 'an absolute http or https URL';
  // The value itself stays out of the error text: it may hold credentials.
  if (!URL.canParse(String(url))) throw new OptionError('httpUpstream.url', accepted, typeof url);
  const parsed = new URL(url);
  if (!['http:', 'https:'].includes(parsed.protocol)) {
    throw new OptionError('httpUpstream.url', accepted, parsed.protocol);
  }
  const { username, password } = parsed;
  const authorization = username === '' && password === '' ? {} : basic(username, password);
  // fetch refuses a URL with credentials, with an error text that repeats them.
  parsed.username = '';
  parsed.password = '';
  return { url: parsed.href, label: labelOf(parsed), authorization };
}

function basic(username: string, password: string): Record<string, string> {
  const bytes = new TextEncoder().encode(`${percentDecoded(username)}:${percentDecoded(password)}`);
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function labelOf(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/** Lower-case names, so that a given header replaces a default one instead of joining it. */
function normalized(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      // The runtime's own text would repeat the value, which may be a secret.
      throw new OptionError(`httpUpstream.headers.${name}`, 'a valid header', typeof value);
    }
  }
  return Object.fromEntries(new Headers(headers));
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
  const { target, method, headers } = settings;
  const send: FetchLike = settings.fetch ?? globalThis.fetch;
  const init = { method, headers, redirect: 'manual', signal } as const;
  const pending = send(target.url, init);
  // An injected fetch may ignore the signal; its late response must still be let go.
  pending.then((late) => signal.aborted && discard(late)).catch(() => {});
  const response = await untilAborted(pending, signal);
  const problem = statusProblem(settings, response);
  if (problem !== undefined) {
    discard(response);
    throw new Error(`${method} ${target.label} ${problem}`);
  }
  const body = await untilAborted(readBody(response, settings.maxBodyBytes, signal), signal);
  judgeBody(settings, body);
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
  const to = isUsable ? ` to ${labelOf(new URL(location, target.url))}` : '';
  return `answered ${status} with a redirect${to}; redirects are not followed`;
}

/** Lets a body go without reading it; undici would otherwise hold the connection until collection. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}

/** The body's text, or undefined when it is longer than the limit. */
async function readBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const cancel = () => {
    reader.cancel().catch(() => {});
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await readUpTo(reader, maxBytes);
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

async function readUpTo(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > maxBytes) return undefined;
    text += decoder.decode(value, { stream: true });
  }
}

function judgeBody({ acceptBody, maxBodyBytes, method, target }: Settings, body?: string): void {
  if (acceptBody === undefined) return;
  if (body === undefined) {
    throw new Error(`${method} ${target.label} sent more than ${maxBodyBytes} bytes`);
  }
  if (!acceptBody(body)) throw new Error(`${method} ${target.label} sent a body that was refused`);
}
