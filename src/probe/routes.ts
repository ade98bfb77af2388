import { METRICS_PATH, STATUS_PATH } from '../core/path-sets.js';
import type { ProbePaths } from '../core/probe-options.js';
import type { ProbeKind } from './probe-kind.js';

/** Where a path leads. */
export type Route =
  | { readonly kind: 'probe'; readonly probe: ProbeKind }
  | { readonly kind: 'check'; readonly name: string }
  | { readonly kind: 'status' }
  | { readonly kind: 'metrics' };

export interface RouteOptions {
  readonly paths: ProbePaths;
  /** Whether `<readiness path>/<check>` leads to one check. */
  readonly details: boolean;
  /** Whether `/healthz/status` is served. */
  readonly status: boolean;
}

/** A request target taken apart, as far as routing needs it. */
export interface Target {
  readonly path: string;
  /** Without its question mark; empty when there is none. */
  readonly query: string;
}

export interface RouteTable {
  /** The route of a target that is a plain path; the look-up every ordinary probe ends with. */
  exact(target: string): Route | undefined;
  /** The route of a path; `undefined` is 404. */
  find(path: string): Route | undefined;
}

/** Builds the table of every path that is answered (E1). */
export function createRoutes({ paths, details, status }: RouteOptions): RouteTable {
  const routes = new Map<string, Route>();
  routes.set(METRICS_PATH, { kind: 'metrics' });
  if (status) routes.set(STATUS_PATH, { kind: 'status' });
  for (const probe of ['startup', 'liveness', 'readiness'] as const) {
    for (const path of paths[probe]) routes.set(path, { kind: 'probe', probe });
  }
  const prefixes = details ? paths.readiness.map((path) => `${path}/`) : [];
  return {
    exact: (target) => routes.get(target),
    find: (path) => routes.get(path) ?? checkRoute(prefixes, path),
  };
}

function checkRoute(prefixes: readonly string[], path: string): Route | undefined {
  const prefix = prefixes.find((candidate) => path.startsWith(candidate));
  return prefix === undefined ? undefined : { kind: 'check', name: path.slice(prefix.length) };
}

/**
 * Takes a request target apart. The path is compared byte for byte: percent-encoding is not decoded and a trailing
 * slash is another path, so that no rewriting in between can make two paths one. An absolute-form target (RFC 9112,
 * section 3.2.2) leads where its path leads.
 */
export function parseTarget(target: string): Target {
  const end = target.indexOf('#');
  const bare = end === -1 ? target : target.slice(0, end);
  const mark = bare.indexOf('?');
  const before = mark === -1 ? bare : bare.slice(0, mark);
  return { path: pathOf(before), query: mark === -1 ? '' : bare.slice(mark + 1) };
}

function pathOf(target: string): string {
  // Nearly every target; where probes are mounted, each request of the application passes here.
  if (target.startsWith('/')) return target;
  const absolute = /^https?:\/\/[^/]*/i.exec(target);
  if (absolute === null) return target;
  const path = target.slice(absolute[0].length);
  return path === '' ? '/' : path;
}
