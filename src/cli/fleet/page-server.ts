import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock, Timer } from '../../core/clock.js';
import type { Fleet } from '../../fleet.js';
import { FLEET_SCRIPT, FLEET_STYLE } from './page-assets.js';
import { type FleetFragment, fleetFragment, fleetPage } from './page-html.js';

/** A page that is served. */
export interface FleetPage {
  readonly address: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

const EVERY_MS = 1000;
const MOST_STREAMS = 20;
/** No address but its own: the page loads and sends nothing, and stands in no frame. */
const POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `connect-src 'self'`,
  `img-src data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Serves the page on loopback. @throws Error when the port is taken */
export async function serveFleetPage(fleet: Fleet, port: number, clock: Clock): Promise<FleetPage> {
  const host = new PageHost(fleet, clock);
  const server = createServer((request, response) => host.answer(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${bound}/`, close: () => host.close(server) };
}

class PageHost {
  readonly #fleet: Fleet;
  readonly #clock: Clock;
  readonly #streams = new Set<ServerResponse>();
  #timer: Timer | undefined;

  constructor(fleet: Fleet, clock: Clock) {
    this.#fleet = fleet;
    this.#clock = clock;
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    // Any page in the browser can have its own name resolve to this address.
    if (!/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i.test(request.headers.host ?? ''))
      return send(response, 403, 'text/plain', 'only as 127.0.0.1 or localhost\n');
    if (request.method !== 'GET') return send(response, 405, 'text/plain', 'only GET\n');
    switch (request.url?.split('?', 1)[0]) {
      case '/':
        return send(response, 200, 'text/html', fleetPage(this.#fragment()));
      case '/script.js':
        return send(response, 200, 'text/javascript', FLEET_SCRIPT);
      case '/style.css':
        return send(response, 200, 'text/css', FLEET_STYLE);
      case '/events':
        return this.#stream(response);
      default:
        return send(response, 404, 'text/plain', 'not here\n');
    }
  }

  close(server: Server): Promise<void> {
    this.#timer?.clear();
    return new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  #stream(response: ServerResponse): void {
    if (this.#streams.size >= MOST_STREAMS)
      return send(response, 503, 'text/plain', 'too many look at it\n');
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(messageOf(this.#fragment()));
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
    if (this.#timer === undefined) this.#next();
  }

  #next(): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      if (this.#streams.size === 0) return;
      const message = messageOf(this.#fragment());
      // Whoever does not keep up gets the next one.
      for (const stream of this.#streams) if (!stream.writableNeedDrain) stream.write(message);
      this.#next();
    }, EVERY_MS);
  }

  #fragment(): FleetFragment {
    return fleetFragment(this.#fleet.view(), this.#fleet.list());
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...HEADERS, 'content-type': `${type}; charset=utf-8` }).end(body);
}

function messageOf(fragment: FleetFragment): string {
  return `data: ${JSON.stringify(fragment)}\n\n`;
}
