import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { renderPanel } from './page.js';
import { PANEL_STYLE } from './style.js';

const HOST_NAME = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])$/i;

/** The relay's origin as seen by a browser that reached the application through `hostHeader`. */
export function relayOrigin(hostHeader: string | undefined, relayPort: number): string {
  const name = (hostHeader ?? '').replace(/:\d+$/, '');
  // The header ends up in a policy and in the page, so only a plain host name gets through.
  return `http://${HOST_NAME.test(name) ? name : '127.0.0.1'}:${relayPort}`;
}

/** Everything from here and the live answers from the relay; nothing else, and nothing inline. */
export function contentSecurityPolicy(origin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${origin}`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** `GET /` and the two files it needs. */
export async function panelRoutes(app: FastifyInstance, relayPort: number): Promise<void> {
  const files = {
    '/panel/client.js': await readFile(new URL('client.js', import.meta.url), 'utf8'),
    '/panel/style.css': PANEL_STYLE,
  };
  app.get('/', async ({ headers }, reply) => {
    const origin = relayOrigin(headers.host, relayPort);
    return reply
      .header('content-security-policy', contentSecurityPolicy(origin))
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(renderPanel(origin));
  });
  for (const [path, content] of Object.entries(files)) {
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/css';
    app.get(path, async (_request, reply) =>
      reply
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', 'no-cache')
        .type(`${type}; charset=utf-8`)
        .send(content),
    );
  }
}
