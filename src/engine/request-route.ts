import type { IncomingMessage } from 'node:http';
import { routeText } from '../core/route-text.js';

/**
 * Method and route of a request for a log line: the route pattern where the framework leaves one on the request
 * (Express), otherwise the path. Never the query string, which may hold secrets.
 */
export function requestRoute(request: IncomingMessage): string {
  const { route, baseUrl } = request as { route?: { path?: unknown }; baseUrl?: unknown };
  const pattern = typeof route?.path === 'string' ? route.path : undefined;
  const base = typeof baseUrl === 'string' ? baseUrl : '';
  return routeText(request.method, pattern === undefined ? request.url : base + pattern);
}
