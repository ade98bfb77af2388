import type { Status } from '../core/check.js';
import type { Decision } from '../core/decision.js';
import { HEALTH_JSON, NO_CACHE, probeBody, serviceStatus } from '../protocol/probe-body.js';

/** An answer as any transport can send it. */
export interface ProbeResponse {
  readonly status: number;
  /** Names and values in turn, as `writeHead` takes them without looking at each. */
  readonly headers: readonly string[];
  /** Empty for HEAD, whose headers still tell the length of the body left out. */
  readonly body: string;
  /** The body encoded, of an answer so large that it is not to be encoded for each who asks. */
  readonly bytes?: Uint8Array;
}

/** An answer rendered when its decision changed, sent as it is to every probe until the next change. */
export interface Prepared extends ProbeResponse {
  /** The same answer without its body. */
  readonly head: ProbeResponse;
}

// Not every runtime of fetch-style handlers has a Buffer.
const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder();

/** Renders a decision. */
export function prepare(decision: Decision, httpStatus: number, remaining?: number): Prepared {
  return healthResponse(httpStatus, decision.status, probeBody(decision, remaining));
}

/** An answer in health+json with the header that tells its status. */
export function healthResponse(
  httpStatus: number,
  status: Status,
  body: string | Uint8Array,
  more: readonly string[] = [],
): Prepared {
  const told = ['X-Service-Status', serviceStatus(status), ...more];
  return response(httpStatus, HEALTH_JSON, body, told);
}

/** An answer of any media type; never cached, its type never guessed. */
export function response(
  status: number,
  contentType: string,
  body: string | Uint8Array,
  more: readonly string[] = [],
): Prepared {
  const length = typeof body === 'string' ? utf8.encode(body).length : body.length;
  const headers = [
    'Content-Type',
    contentType,
    'Content-Length',
    String(length),
    'Cache-Control',
    NO_CACHE,
    'X-Content-Type-Options',
    'nosniff',
    ...more,
  ];
  const head = { status, headers, body: '' };
  if (typeof body === 'string') return { status, headers, body, head };
  return {
    ...{ status, headers, bytes: body, head },
    get body() {
      return fromUtf8.decode(body);
    },
  };
}

/** What is answered to a request that is not a probe: an unknown path, a wrong method, an error of hale's own. */
export function refusal(status: number, error: string, more: readonly string[] = []): Prepared {
  return response(status, 'application/json', JSON.stringify({ error }), more);
}
