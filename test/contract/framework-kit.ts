import { type IncomingHttpHeaders, request } from 'node:http';
import { createHealth } from '../../src/create-health.js';
import { silentLogger } from '../../src/core/logger.js';
import type { Health } from '../../src/health.js';
import { eventually } from '../support/program.js';
import type { AppAnswer, AppRoute, FrameworkUnderTest, RunningApp } from './framework-app.js';

/** What a client saw. */
export interface Seen {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An app with hale in it, and what a case moves. */
export interface Kit {
  readonly health: Health;
  readonly app: RunningApp;
  readonly base: string;
  readonly resolvesDots: boolean;
  /** Asks below the base path, over a connection of its own. */
  ask(path: string, call?: Call): Promise<Seen>;
  /** Asks exactly this target. */
  askRoot(target: string, call?: Call): Promise<Seen>;
  /** What the gate answers to everything from now on. */
  refuse(answer: AppAnswer | undefined): void;
  /** How many requests the gate has seen. */
  gated(): number;
  setDatabase(up: boolean): void;
  /** Ends the slow requests that are waiting. */
  release(): void;
  /** Resolves once the slow route has been entered. */
  slowBegun(): Promise<void>;
  close(): Promise<void>;
}

export const PROPAGATION_MS = 250;

/** Starts an app, ready to be probed. */
export async function openKit(
  framework: FrameworkUnderTest,
  base: string,
  attached = true,
): Promise<Kit> {
  const world = { up: true, gated: 0, gate: undefined as AppAnswer | undefined };
  const slow = createSlowRoute();
  const health = createHealth({
    // Both answer alike; each is met in one of the two places.
    isolation: base === '' ? 'thread' : 'inline',
    probes: { host: '127.0.0.1', port: 0, details: true },
    diagnostic: false,
    signals: false,
    env: {},
    logger: silentLogger,
    shutdown: { propagationDelayMs: PROPAGATION_MS, deadlineMs: 5000 },
    checks: {
      database: {
        impact: 'critical',
        intervalMs: 20,
        failureThreshold: 1,
        successThreshold: 1,
        run() {
          if (!world.up) throw new Error('refused by db.internal');
        },
      },
    },
  });
  const app = await framework.start({
    health,
    basePath: base,
    attached,
    gate() {
      world.gated += 1;
      return world.gate;
    },
    routes: [...USER_ROUTES, ...sameNames(base), slow.route],
  });
  await health.start();
  await health.untilReady();
  const askRoot: Kit['askRoot'] = (target, call) => ask(app.port, target, call);
  return {
    health,
    app,
    base,
    resolvesDots: framework.resolvesDots ?? false,
    askRoot,
    ask: (path, call) => askRoot(base + path, call),
    refuse: (answer) => (world.gate = answer),
    gated: () => world.gated,
    setDatabase: (up) => (world.up = up),
    release: slow.release,
    slowBegun: slow.begun,
    async close() {
      slow.release();
      await app.close();
      await health.dispose();
    },
  };
}

const text = (body: string): AppAnswer => ({ status: 200, body });

/** Routes of the user's own, some of them near a probe. */
const USER_ROUTES: readonly AppRoute[] = [
  { method: 'GET', path: '/orders', answer: () => text('orders') },
  { method: 'POST', path: '/orders', answer: (body) => ({ status: 201, body }) },
  { method: 'GET', path: '/metrics', answer: () => text('metrics of the user') },
  {
    method: 'GET',
    path: '/broken',
    answer() {
      throw new Error('a bug of the user');
    },
  },
];

/** Routes whose names begin like a probe's. */
function sameNames(base: string): AppRoute[] {
  return ['/livezz', '/livez/orders', '/readyz/database', '/healthz/status'].map((path) => ({
    method: 'GET',
    path: base + path,
    answer: () => text(`user ${path}`),
  }));
}

function createSlowRoute(): { route: AppRoute; release(): void; begun(): Promise<void> } {
  const waiting = new Set<() => void>();
  return {
    route: {
      method: 'GET',
      path: '/slow',
      answer: () => new Promise((resolve) => waiting.add(() => resolve(text('slow but done')))),
    },
    release() {
      for (const done of waiting) done();
      waiting.clear();
    },
    async begun() {
      await eventually('slow request', () => (waiting.size > 0 ? true : undefined));
    },
  };
}

/** One request over a connection of its own. */
export function ask(port: number, path: string, call: Call = {}): Promise<Seen> {
  const { method = 'GET', headers = {}, body } = call;
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { host: '127.0.0.1', port, path, method, agent: false };
    const outgoing = request({ ...options, headers: { ...length, ...headers } }, (response) => {
      let got = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (got += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: got }),
      );
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
