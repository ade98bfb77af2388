import { untilAborted } from './abort.js';
import { OptionError } from './errors.js';

/** The part of `fetch` that checks use. */
export type FetchLike = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    redirect: 'manual';
    signal: AbortSignal;
    body?: string;
  },
) => Promise<Response>;

/** What a check asks over HTTP. */
export interface HttpTarget {
  /** What is requested, without credentials. */
  url: string;
  /** For texts: without credentials and query, both of which may hold secrets. */
  label: string;
  authorization: Record<string, string>;
}

/**
 * Takes the credentials out of a URL and into a header: fetch refuses a URL with credentials, with an error text that
 * repeats them.
 * @throws OptionError when it is no absolute http or https URL.
 */
export function httpTarget(option: string, url: string | URL): HttpTarget {
  const accepted = 'an absolute http or https URL';
  // The value itself stays out of the error text: it may hold credentials.
  if (!URL.canParse(String(url))) throw new OptionError(option, accepted, typeof url);
  const parsed = new URL(url);
  if (!['http:', 'https:'].includes(parsed.protocol)) {
    throw new OptionError(option, accepted, parsed.protocol);
  }
  const { username, password } = parsed;
  const authorization = username === '' && password === '' ? {} : basic(username, password);
  parsed.username = '';
  parsed.password = '';
  return { url: parsed.href, label: httpLabel(parsed), authorization };
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

/** A URL for texts: without credentials and query, both of which may hold secrets. */
export function httpLabel(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/**
 * The headers of a request. Names in lower case, so that a given header replaces a default one instead of joining it.
 * @throws OptionError for a header that HTTP does not allow.
 */
export function requestHeaders(
  option: string,
  target: HttpTarget,
  headers: Readonly<Record<string, string>> = {},
): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      // The runtime's own text would repeat the value, which may be a secret.
      throw new OptionError(`${option}.${name}`, 'a valid header', typeof value);
    }
  }
  const given = Object.fromEntries(new Headers(headers));
  return { 'user-agent': 'hale', ...target.authorization, ...given };
}

/** What {@link httpRequest} sends. */
export interface HttpRequest {
  readonly target: HttpTarget;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly fetch: FetchLike | undefined;
}

/** Sends one request that follows no redirect. Whoever calls must read or {@link discardBody} the body. */
export async function httpRequest(
  { target, method, headers, body, fetch }: HttpRequest,
  signal: AbortSignal,
): Promise<Response> {
  const send: FetchLike = fetch ?? globalThis.fetch;
  const content = body === undefined ? {} : { body };
  const pending = send(target.url, { method, headers, redirect: 'manual', signal, ...content });
  // An injected fetch may ignore the signal; its late response must still be let go.
  pending.then((late) => signal.aborted && discardBody(late)).catch(() => {});
  return untilAborted(pending, signal);
}

/** Lets a body go without reading it; undici would otherwise hold the connection until collection. */
export function discardBody(response: Response): void {
  response.body?.cancel().catch(() => {});
}

/** The body's text, or undefined when it is longer than the limit; ends with the signal. */
export function readBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  return untilAborted(readOrCancel(response, maxBytes, signal), signal);
}

async function readOrCancel(
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
