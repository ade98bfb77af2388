import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { attachHealth } from '../../src/frameworks/node-http.js';
import { interceptProbes } from '../../src/probe/mount-http.js';
import type { ProbeResponse } from '../../src/probe/prepared.js';
import type { AppPlan } from './framework-app.js';
import { SERVING_CASES } from './framework-cases.js';
import { failuresOf } from './framework-contract.js';
import { END_CASES } from './framework-end-cases.js';
import { type Attach, plainApp } from './plain-app.js';

/** What a wrong adapter makes of the answers: it looks at the request itself. */
type Answer = (request: IncomingMessage, plan: AppPlan) => ProbeResponse | undefined;

const plain = (request: IncomingMessage, { health }: AppPlan): ProbeResponse =>
  health.handle(request) as ProbeResponse;

const isProbe = ({ url = '' }: IncomingMessage): boolean =>
  /^\/(?:livez|readyz|startupz)(?:\?|$)/.test(url);

function answering(answer: Answer): Attach {
  return (server, plan) => {
    const restore = interceptProbes(server, (request, response) => {
      const found = answer(request as IncomingMessage, plan);
      if (found === undefined) return false;
      (response as ServerResponse).writeHead(found.status, [...found.headers]).end(found.body);
      return true;
    });
    const release = plan.health.drains(server);
    return () => {
      restore();
      release();
    };
  };
}

/** A probe that stands behind the gate, as a middleware does that was added after it. */
function behindTheGate(server: Server, plan: AppPlan): () => void {
  const gated = answering((request) => {
    const refused = plan.gate({ method: 'GET', url: '/', headers: {} }) !== undefined;
    return !refused && isProbe(request)
      ? (plan.health.handle({ method: request.method, url: pathOf(request) }) as ProbeResponse)
      : undefined;
  });
  return gated(server, plan);
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

const bare = (request: IncomingMessage, plan: AppPlan): ProbeResponse =>
  plain({ method: request.method, url: pathOf(request) } as IncomingMessage, plan);

/** Wrong adapters, each with a case that must catch it. */
const PLANTS: readonly (readonly [string, Attach, RegExp])[] = [
  ['stands after the limiter', behindTheGate, /before a rate limiter/],
  ['stands in an access log', behindTheGate, /no middleware sees a probe/],
  ['stands after auth', behindTheGate, /before authentication/],
  ['stands after a host check', behindTheGate, /before a host check \(421\)/],
  ['stands after a redirect', behindTheGate, /before a redirect/],
  ['answers every path', answering(plain), /no probe goes on to the user's app/],
  ['answers paths below a probe', answering(plain), /user's own routes are untouched/],
  [
    'shows details to anyone',
    answering((request, plan) => (isProbe(request) ? plain(request, plan) : undefined)),
    /a query changes neither/,
  ],
  [
    'knows GET only',
    answering((request, plan) =>
      isProbe(request) && request.method === 'GET' ? plain(request, plan) : undefined,
    ),
    /HEAD has the headers/,
  ],
  [
    'leaves other methods to the application',
    answering((request, plan) =>
      isProbe(request) && /^(?:GET|HEAD)$/.test(request.method ?? '')
        ? bare(request, plan)
        : undefined,
    ),
    /other methods are 405/,
  ],
  [
    'stands after the body parser',
    answering((request, plan) =>
      isProbe(request) && request.headers['content-length'] === undefined
        ? bare(request, plan)
        : undefined,
    ),
    /before the body parser/,
  ],
  [
    'knows a path only where the target begins with it',
    answering((request, plan) => (isProbe(request) ? bare(request, plan) : undefined)),
    /absolute-form/,
  ],
  [
    'takes other spellings for a probe',
    answering((request, plan) => {
      const url = `/${pathOf(request).toLowerCase().split('/').filter(Boolean).join('/')}`;
      const meant = { method: request.method, url } as IncomingMessage;
      return isProbe(meant) ? plain(meant, plan) : undefined;
    }),
    /another spelling/,
  ],
  [
    'does not drain the server',
    (server, { health }) => attachHealth(server, health, { drains: false }),
    /a drain fails readiness/,
  ],
  [
    'counts nothing in flight',
    (server, { health }) => attachHealth(server, health, { drains: false }),
    /in flight are counted/,
  ],
  [
    'leaves a listener behind',
    (server, { health }) => {
      server.on('request', () => {});
      return attachHealth(server, health);
    },
    /no listener is left/,
  ],
  [
    'answers what it knew at first',
    (server, plan) => {
      const first = new Map<string, ProbeResponse>();
      return answering((request) => {
        const path = pathOf(request);
        if (!isProbe(request) || request.method !== 'GET') return undefined;
        const known =
          first.get(path) ?? plain({ method: 'GET', url: path } as IncomingMessage, plan);
        first.set(path, known);
        return known;
      })(server, plan);
    },
    /readiness is 503 with its reason/,
  ],
];

describe('the contract for frameworks', () => {
  it('has cases, and a right adapter fails none of them', async () => {
    expect(SERVING_CASES.length + END_CASES.length).toBeGreaterThan(15);
    const right = plainApp('right', (server, { health, basePath }) =>
      attachHealth(server, health, { basePath }),
    );
    expect(await failuresOf(right)).toEqual([]);
    expect(await failuresOf(right, '/shop')).toEqual([]);
  });

  it.each(PLANTS)('fails an adapter that %s', async (name, attach, expected) => {
    expect(await failuresOf(plainApp(name, attach), '', expected)).toEqual([
      expect.stringMatching(expected),
    ]);
  });

  it('fails an adapter that ignores the base path', async () => {
    const wrong = plainApp('wrong', (server, { health }) => attachHealth(server, health));
    expect(await failuresOf(wrong, '/shop', /health\+json/)).toHaveLength(1);
  });
});
