import { onceOver } from '../../core/response-over.js';
import { type FenceClaim, claimTexts, isAccepted } from './claim.js';

/** Names of the two request headers. */
export const FENCE_HEADERS = { token: 'fencing-token', holder: 'fencing-holder' } as const;

/**
 * The headers of a write, for the resource's side to check.
 * @throws OptionError when the claim is none.
 */
export function fenceHeaders(claim: FenceClaim): Record<string, string> {
  const { token, holder } = claimTexts(claim);
  return { [FENCE_HEADERS.token]: token, [FENCE_HEADERS.holder]: encodeURIComponent(holder) };
}

/** Reads one header; `undefined` or `null` where it is absent. */
export type ReadHeader = (name: string) => string | null | undefined;

/** Whether a write may be carried out. */
export type FenceAdmission =
  | {
      readonly kind: 'admitted';
      readonly claim: FenceClaim;
      /** To be called once the write has ended, well or not; idempotent. */
      done(): void;
    }
  | {
      readonly kind: 'rejected';
      /**
       * 428 without a token, 400 for one that is none, 412 for one that is too old, 503 while writes of an older one are
       * under way.
       */
      readonly status: 400 | 412 | 428 | 503;
      readonly reason: 'token_missing' | 'token_malformed' | 'fenced' | 'older_write_under_way';
    };

/** What a middleware needs of a request of node:http, or of a framework over it. */
export interface FenceRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What a middleware needs of a response of node:http. */
export interface FenceResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** The resource's side: admits writes by their token. */
export interface HttpFence {
  /** Decides about one write; atomic, for there is nothing to wait for. */
  admit(resource: string, header: ReadHeader): FenceAdmission;
  /** A middleware that answers what is not admitted; the write has ended when its response has closed. */
  middleware<R extends FenceRequest>(
    resource: string | ((request: R) => string),
  ): (request: R, response: FenceResponse, next: () => void) => void;
}

interface Seen {
  claim: FenceClaim;
  /** Writes under way with this token. */
  writing: number;
  /** Writes under way with older ones. */
  older: number;
}

/** Options of {@link createHttpFence}. */
export interface HttpFenceOptions {
  /** Claims that were seen before, where the resource keeps them over a restart. */
  seen?: Iterable<readonly [resource: string, claim: FenceClaim]>;
  /** Called with each higher token before its first write is admitted; may keep it. */
  onRaise?: (resource: string, claim: FenceClaim) => void;
}

/**
 * Creates the resource's side of the fence, for one process that owns the resource. It keeps the highest token in memory:
 * without `seen` and `onRaise` a restart forgets it, and a resource with several processes needs a guard in its database.
 */
export function createHttpFence({ seen = [], onRaise }: HttpFenceOptions = {}): HttpFence {
  const resources = new Map<string, Seen>();
  for (const [resource, claim] of seen) resources.set(resource, { claim, writing: 0, older: 0 });

  const raise = (resource: string, claim: FenceClaim): Seen => {
    const before = resources.get(resource);
    if (before?.claim.token === claim.token) return before;
    onRaise?.(resource, claim);
    const next = { claim, writing: 0, older: (before?.older ?? 0) + (before?.writing ?? 0) };
    resources.set(resource, next);
    return next;
  };

  const begin = (resource: string, claim: FenceClaim): FenceAdmission => {
    if (!isAccepted(claim, resources.get(resource)?.claim)) return rejected(412, 'fenced');
    const entry = raise(resource, claim);
    // From now on nothing older is admitted; what was admitted must end before anything newer begins.
    if (entry.older > 0) return rejected(503, 'older_write_under_way');
    entry.writing += 1;
    let ended = false;
    const done = (): void => {
      if (ended) return;
      ended = true;
      const now = resources.get(resource);
      if (now === entry) entry.writing -= 1;
      else if (now !== undefined) now.older -= 1;
    };
    return { kind: 'admitted', claim, done };
  };

  const fence: HttpFence = {
    admit(resource, header) {
      const token = header(FENCE_HEADERS.token);
      const holder = header(FENCE_HEADERS.holder);
      if (!token || !holder) return rejected(428, 'token_missing');
      const claim = parseClaim(token, holder);
      return claim === undefined ? rejected(400, 'token_malformed') : begin(resource, claim);
    },
    middleware: (resource) => (request, response, next) => {
      const name = typeof resource === 'string' ? resource : resource(request);
      const admission = fence.admit(name, (header) => oneHeader(request, header));
      if (admission.kind === 'rejected') {
        answer(response, admission);
        return;
      }
      onceOver(response, () => admission.done());
      next();
    },
  };
  return fence;
}

type Rejected = Extract<FenceAdmission, { kind: 'rejected' }>;

function rejected(status: Rejected['status'], reason: Rejected['reason']): Rejected {
  return { kind: 'rejected', status, reason };
}

/** At most 19 digits: what a registry counts in 64 bits. */
const TOKEN = /^(?:0|[1-9]\d{0,18})$/;

function parseClaim(token: string, holder: string): FenceClaim | undefined {
  if (!TOKEN.test(token) || holder.length > 1024) return undefined;
  try {
    return { token: BigInt(token), holder: decodeURIComponent(holder) };
  } catch {
    return undefined;
  }
}

/** A header that came twice names two claims, which is none. */
function oneHeader({ headers }: FenceRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function answer(response: FenceResponse, { status, reason }: Rejected): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json');
  if (status === 503) response.setHeader('Retry-After', '1');
  response.end(JSON.stringify({ status: 'fail', reason }));
}
