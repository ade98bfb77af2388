import type { Health } from '../../src/health.js';

/** What comes from outside, as a gate sees it. */
export interface AppRequest {
  readonly method: string;
  /** The request target as the framework knows it. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** What a gate or a route answers. */
export interface AppAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is; anything else as JSON. */
  readonly body: unknown;
}

/** A route of the user's own. */
export interface AppRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** `body` is what the framework's own JSON body parser made of the body; a throw goes to the error handler. */
  answer(body: unknown): AppAnswer | Promise<AppAnswer>;
}

/**
 * The app a harness builds in the ordinary way of its framework, in this order:
 * 1. a global middleware or hook that asks `gate` first and sends its answer, as limiters, auth and redirects do;
 * 2. the framework's JSON body parser (it answers 400 to a broken body);
 * 3. `routes`;
 * 4. a handler for unknown paths that answers {@link NOT_HERE};
 * 5. an error handler that answers {@link BROKE} to whatever has no status of its own;
 * 6. hale, where the docs say, in the worst order they allow, and only if `attached`.
 * It listens on a free port of 127.0.0.1.
 */
export interface AppPlan {
  readonly health: Health;
  /** `''` is the root. */
  readonly basePath: string;
  readonly attached: boolean;
  readonly gate: (request: AppRequest) => AppAnswer | undefined;
  readonly routes: readonly AppRoute[];
}

export const NOT_HERE: AppAnswer = { status: 404, body: 'nothing here' };
export const BROKE: AppAnswer = { status: 500, body: 'it broke' };

/** An app that listens. */
export interface RunningApp {
  readonly port: number;
  /** Takes hale back out; the app goes on. Absent where a framework has no way to. */
  detach?(): void;
  /** How many listeners the server and the app hold, to see that none is left behind. */
  listeners?(): number;
  /** Closes the app if it is not closed yet. */
  close(): Promise<void>;
}

/** One supported major of one framework. */
export interface FrameworkUnderTest {
  /** With its major: `express 5`. */
  readonly name: string;
  /** Set where the runtime resolves `.` and `..` before anybody sees the request, as the URL of a `Request` is. */
  readonly resolvesDots?: boolean;
  start(plan: AppPlan): Promise<RunningApp>;
}

/** The text of a body. */
export function bodyText({ body }: AppAnswer): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** The headers of an answer, with the type of its body. */
export function headersOf({ body, headers = {} }: AppAnswer): Record<string, string> {
  return {
    'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
    ...headers,
  };
}
