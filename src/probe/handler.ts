import type { Clock } from '../core/clock.js';
import { checkBody, verboseBody } from './detail-views.js';
import { freshStatus } from '../core/readiness.js';
import type { StatusRequest } from './diagnosis/status-route.js';
import type { ProbeKind } from './probe-kind.js';
import type { ProbeModel } from './probe-model.js';
import { type Prepared, type ProbeResponse, healthResponse, refusal } from './prepared.js';
import { type Route, type RouteTable, parseTarget } from './routes.js';

/** What a transport knows of a request; an `IncomingMessage` is one. */
export interface ProbeRequest {
  readonly method?: string | undefined;
  /** The request target: a path with an optional query. */
  readonly url?: string | undefined;
  /** Of a node:http request or a fetch request; only `Accept` is looked at, and not for probes. */
  readonly headers?: RequestHeaders | undefined;
}

/** The headers of a request, as node:http or fetch has them. */
export type RequestHeaders =
  | { readonly accept?: string | undefined }
  | { get(name: string): string | null };

export interface HandlerOptions {
  readonly model: ProbeModel;
  readonly routes: RouteTable;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether queries and per-check paths are served (E3). */
  readonly details: boolean;
  /** Waits for on-demand checks; never rejects. */
  readonly evaluate: () => Promise<void>;
  /** The metrics in the format that an `Accept` header asks for. */
  readonly metrics: (accept: string | undefined) => Prepared;
  /** The report as whoever asks wants it. */
  readonly status: (asked: StatusRequest) => Prepared | Promise<Prepared>;
}

/** Answers requests without knowing how they came; a promise only where on-demand checks must run first. */
export interface ProbeHandler {
  handle(request: ProbeRequest): ProbeResponse | Promise<ProbeResponse>;
}

const NOT_FOUND = refusal(404, 'not found');
const NOT_ALLOWED = refusal(405, 'method not allowed', ['Allow', 'GET, HEAD']);
/** What is decided here and at once, when the checks that must run first have run. */
type AnsweredRoute = Exclude<Route, { readonly kind: 'metrics' | 'status' }>;

const NO_QUERY = new URLSearchParams();

/** Creates the handler of one listener. */
export function createHandler(options: HandlerOptions): ProbeHandler {
  return new RouteHandler(options);
}

class RouteHandler implements ProbeHandler {
  readonly #options: HandlerOptions;

  constructor(options: HandlerOptions) {
    this.#options = options;
  }

  handle(request: ProbeRequest): ProbeResponse | Promise<ProbeResponse> {
    const { method = 'GET', url = '/' } = request;
    const head = method === 'HEAD';
    const exact = this.#options.routes.exact(url);
    if (exact !== undefined) {
      return head || method === 'GET' ? this.#answer(exact, NO_QUERY, request) : NOT_ALLOWED;
    }
    const { path, query } = parseTarget(url);
    const route = this.#options.routes.find(path);
    if (route === undefined) return head ? NOT_FOUND.head : NOT_FOUND;
    if (!head && method !== 'GET') return NOT_ALLOWED;
    return this.#answer(route, query === '' ? NO_QUERY : new URLSearchParams(query), request);
  }

  #answer(
    route: Route,
    query: URLSearchParams,
    request: ProbeRequest,
  ): ProbeResponse | Promise<ProbeResponse> {
    const head = request.method === 'HEAD';
    if (route.kind === 'metrics')
      return pick(this.#options.metrics(acceptOf(request.headers)), head);
    if (route.kind === 'status') return this.#report(query, request);
    const { clock } = this.#options;
    const startedAt = clock.now();
    if (!this.#mustEvaluate(route)) return this.#respond(route, query, { head, startedAt });
    return this.#options.evaluate().then(() => this.#respond(route, query, { head, startedAt }));
  }

  #report(
    query: URLSearchParams,
    { method, headers }: ProbeRequest,
  ): ProbeResponse | Promise<ProbeResponse> {
    const { status, evaluate } = this.#options;
    const asked = { accept: acceptOf(headers), query };
    const head = method === 'HEAD';
    const report = this.#mustEvaluate({ kind: 'status' })
      ? evaluate().then(() => status(asked))
      : status(asked);
    return report instanceof Promise
      ? report.then((prepared) => pick(prepared, head))
      : pick(report, head);
  }

  #mustEvaluate(route: Exclude<Route, { readonly kind: 'metrics' }>): boolean {
    const { model } = this.#options;
    if (!model.state().onDemand || model.loopStalled()) return false;
    return route.kind !== 'probe' || route.probe === 'readiness';
  }

  #respond(
    route: AnsweredRoute,
    query: URLSearchParams,
    { head, startedAt }: { readonly head: boolean; readonly startedAt: number },
  ): ProbeResponse {
    const { model, clock } = this.#options;
    const prepared = this.#prepare(route, query);
    if (route.kind === 'probe') model.handled(route.probe, clock.now() - startedAt);
    return pick(prepared, head);
  }

  #prepare(route: AnsweredRoute, query: URLSearchParams): Prepared {
    const { model, clock, details } = this.#options;
    switch (route.kind) {
      case 'probe':
        return details && query.size > 0
          ? this.#detailed(route.probe, query)
          : model.answer(route.probe, clock.now());
      case 'check':
        return this.#check(route.name);
    }
  }

  #detailed(probe: ProbeKind, query: URLSearchParams): Prepared {
    const { model, clock } = this.#options;
    const now = clock.now();
    const plain = model.answer(probe, now);
    const exclude = new Set(probe === 'readiness' ? query.getAll('exclude') : []);
    if (exclude.size === 0 && !query.has('verbose')) return plain;
    const decision =
      exclude.size === 0 ? model.decision(probe, now) : model.readinessWithout(exclude, now);
    const body = verboseBody(probe, decision, model.state(), now, exclude);
    return healthResponse(model.httpStatus(probe, decision), decision.status, body);
  }

  #check(name: string): Prepared {
    const { model, clock } = this.#options;
    const checks = model.state().checks;
    // Names may hold spaces, which a path can only carry encoded.
    const view = [...checks.values()].find((check) => encodeURIComponent(check.name) === name);
    if (view === undefined) return NOT_FOUND;
    const now = clock.now();
    const status = freshStatus(view, now);
    const shown = status === 'unknown' ? 'fail' : status;
    return healthResponse(shown === 'fail' ? 503 : 200, shown, checkBody(view, now));
  }
}

function acceptOf(headers: RequestHeaders | undefined): string | undefined {
  if (headers === undefined) return undefined;
  if ('get' in headers && typeof headers.get === 'function')
    return headers.get('accept') ?? undefined;
  return (headers as { readonly accept?: string | undefined }).accept;
}

function pick(prepared: Prepared, head: boolean): ProbeResponse {
  return head ? prepared.head : prepared;
}
