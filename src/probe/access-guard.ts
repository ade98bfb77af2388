import type { IncomingHttpHeaders } from 'node:http';
import type { DiagnosticOptions } from '../core/probe-options.js';
import { isLoopback } from '../core/resolve-diagnostic.js';
import { type ProbeResponse, refusal } from './prepared.js';

/** What a guard sees of a request. */
export interface GuardedRequest {
  readonly method?: string | undefined;
  readonly headers: Pick<IncomingHttpHeaders, 'authorization' | 'host'>;
}

/** Returns the refusal of a caller who may see nothing, `undefined` for one who may. */
export type AccessGuard = (request: GuardedRequest) => ProbeResponse | undefined;

const UNAUTHORIZED = refusal(401, 'unauthorized', ['WWW-Authenticate', 'Bearer']);
const MISDIRECTED = refusal(421, 'misdirected request');

/** A literal address, of either family, or this machine; with or without a port. */
const LITERAL_HOST = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Creates the guard of the diagnostic listener (E4). It comes before routing, so that whoever is refused gets the same
 * answer for every path, method and wrong token, and cannot find out which of them exist.
 */
export function createAccessGuard({
  tokens,
  host,
  tls,
}: Pick<DiagnosticOptions, 'tokens' | 'host' | 'tls'>): AccessGuard | undefined {
  if (tokens.length > 0) return bearerGuard(tokens);
  // A certificate of the client is checked before there is a request.
  return isLoopback(host) && tls?.clientCa === undefined ? nameGuard : undefined;
}

/** Compares digests: their length tells nothing, and `timingSafeEqual` takes equally long wherever they differ. */
function bearerGuard(tokens: readonly string[]): AccessGuard {
  const { createHash, timingSafeEqual } = process.getBuiltinModule('node:crypto');
  const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest();
  const accepted = tokens.map(digest);
  return ({ method, headers }) => {
    const shown = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const given = digest(shown);
    let admitted = false;
    // Each of them, whichever it was: how long it takes must not tell the first from the last.
    for (const known of accepted) admitted = timingSafeEqual(known, given) || admitted;
    if (admitted) return undefined;
    return method === 'HEAD' ? UNAUTHORIZED.head : UNAUTHORIZED;
  };
}

/**
 * A web page can let its own name lead to 127.0.0.1 and have the browser of someone on this machine ask (DNS
 * rebinding). What asks by address, or with no `Host` at all, is no such page.
 */
const nameGuard: AccessGuard = ({ method, headers: { host } }) => {
  if (host === undefined || host === '' || LITERAL_HOST.test(host)) return undefined;
  return method === 'HEAD' ? MISDIRECTED.head : MISDIRECTED;
};
