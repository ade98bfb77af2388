import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHandler, type ProbeHandler } from '../../src/probe/handler.js';
import { renderMetrics } from '../../src/probe/metrics.js';
import type { ProbeResponse } from '../../src/probe/prepared.js';
import { createRoutes } from '../../src/probe/routes.js';
import { atOnce } from '../../src/probe/pace.js';
import { statusSteps } from '../../src/probe/status-view.js';
import { checkView, groupOf, startedState } from '../core/probe-state-builders.js';
import { createModelKit, type ModelKit } from './probe-kit.js';

const PATHS = {
  liveness: ['/livez', '/health/live'],
  readiness: ['/readyz', '/health/ready'],
  startup: ['/startupz'],
};

interface HandlerKit extends ModelKit {
  readonly handler: ProbeHandler;
  evaluations: number;
}

function createHandlerKit(details = false): HandlerKit {
  const kit = createModelKit();
  const handlerKit: HandlerKit = {
    ...kit,
    evaluations: 0,
    handler: createHandler({
      ...kit,
      details,
      routes: createRoutes({ paths: PATHS, details, status: details }),
      async evaluate() {
        handlerKit.evaluations += 1;
      },
      metrics: (accept) => renderMetrics(kit, accept),
      status: () => atOnce(statusSteps(kit)),
    }),
  };
  return handlerKit;
}

function get(kit: HandlerKit, url: string, method = 'GET'): ProbeResponse {
  const answer = kit.handler.handle({ method, url });
  if (answer instanceof Promise) throw new Error('answered later');
  return answer;
}

function header({ headers }: ProbeResponse, name: string): string | undefined {
  const index = headers.indexOf(name);
  return index === -1 ? undefined : headers[index + 1];
}

function json({ body }: ProbeResponse): Record<string, unknown> {
  return JSON.parse(body) as Record<string, unknown>;
}

describe('routes', () => {
  it.each(['/livez', '/readyz', '/startupz', '/health/live', '/health/ready'])(
    'E1 E3: %s answers in a constant shape and is never cached',
    (url) => {
      const kit = createHandlerKit();
      const answer = get(kit, url);
      expect(answer.status).toBe(200);
      expect(json(answer)).toMatchObject({ status: 'pass', reason: 'ok' });
      expect(header(answer, 'Content-Type')).toBe('application/health+json');
      expect(header(answer, 'Cache-Control')).toBe('no-cache, no-store, must-revalidate');
      expect(header(answer, 'X-Service-Status')).toBe('ok');
      expect(header(answer, 'X-Content-Type-Options')).toBe('nosniff');
      expect(header(answer, 'Content-Length')).toBe(String(Buffer.byteLength(answer.body)));
    },
  );

  it.each([
    '/',
    '/livez/',
    '/LIVEZ',
    '/%6civez',
    '//livez',
    '/livez/x',
    '/healthz/status',
    '*',
    '',
  ])('E2: %j is another path: 404', (url) => expect(get(createHandlerKit(), url).status).toBe(404));

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'get'])('E2: %s is 405', (method) => {
    const answer = get(createHandlerKit(), '/livez?x', method);
    expect(answer.status).toBe(405);
    expect(header(answer, 'Allow')).toBe('GET, HEAD');
    expect(get(createHandlerKit(), '/livez', method).status).toBe(405);
    expect(get(createHandlerKit(), '/nowhere', method).status).toBe(404);
  });

  it('E2: HEAD has the headers of GET and no body', () => {
    const kit = createHandlerKit();
    for (const url of ['/readyz', '/readyz?verbose', '/nowhere', '/metrics']) {
      const { status, headers, body } = get(kit, url, 'HEAD');
      const full = get(kit, url);
      expect(body).toBe('');
      expect({ status, headers }).toStrictEqual({ status: full.status, headers: full.headers });
    }
  });

  it('E2: an absolute-form target leads where its path leads', () => {
    const kit = createHandlerKit();
    expect(get(kit, 'http://probe.example:9400/livez?a=b').status).toBe(200);
    expect(get(kit, 'HTTP://probe.example').status).toBe(404);
  });

  it('E2: a query string never changes the route', () => {
    const kit = createHandlerKit();
    const target = fc.oneof(
      fc.constantFrom('/livez', '/readyz', '/startupz', '/metrics', '/nowhere'),
      fc.webPath(),
    );
    fc.assert(
      fc.property(target, fc.oneof(fc.webQueryParameters(), fc.string()), (path, query) => {
        const plain = get(kit, path);
        const asked = get(kit, `${path}?${query}`);
        expect(asked.status).toBe(plain.status);
        expect(asked.headers[1]).toBe(plain.headers[1]);
      }),
    );
  });

  it('E2: nor where details are allowed', () => {
    const kit = createHandlerKit(true);
    fc.assert(
      fc.property(fc.constantFrom('/livez', '/readyz', '/nowhere'), fc.string(), (path, query) => {
        expect(get(kit, `${path}?${query}`).status).toBe(get(kit, path).status);
      }),
    );
  });

  it('O1: /metrics is served in the text format', () => {
    const kit = createHandlerKit();
    get(kit, '/livez');
    const answer = get(kit, '/metrics');
    expect(header(answer, 'Content-Type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(answer.body).toContain(
      'hale_probe_answers_total{probe="liveness",reason="ok",status="200"} 1',
    );
  });
});

describe('details', () => {
  const failing = checkView('database', {
    verdict: 'fail',
    freshUntil: 1e9,
    last: { status: 'fail', code: 'timeout', output: 'no answer', wallAt: 0, durationMs: 1 },
  });
  const cache = checkView('order cache', { impact: 'degraded', freshUntil: 1e9 });

  function failingKit(details: boolean): HandlerKit {
    const kit = createHandlerKit(details);
    kit.publish(startedState([failing, cache]));
    return kit;
  }

  it('E3: are not given on the public port', () => {
    const kit = failingKit(false);
    const answer = get(kit, '/readyz?verbose&exclude=database');
    expect(answer.body).toBe('{"status":"fail","reason":"check_failed:database"}');
    expect(get(kit, '/readyz/database').status).toBe(404);
  });

  it('E4: ?verbose lists every reason and every check', () => {
    const body = json(get(failingKit(true), '/readyz?verbose'));
    expect(body).toMatchObject({
      status: 'fail',
      reasons: ['check_failed:database'],
      checks: {
        database: { status: 'fail', impact: 'critical', code: 'timeout', output: 'no answer' },
        'order cache': { status: 'pass', impact: 'degraded' },
      },
    });
  });

  it('E4: ?exclude= leaves checks out and reports names it does not know', () => {
    const answer = get(failingKit(true), '/readyz?exclude=database&exclude=datebase');
    expect(answer.status).toBe(200);
    expect(json(answer)).toMatchObject({
      status: 'pass',
      excluded: ['database'],
      unknownExcludes: ['datebase'],
    });
  });

  it('E4: ?exclude= never excludes draining', () => {
    const kit = failingKit(true);
    kit.board.setPhase('draining');
    expect(json(get(kit, '/readyz?exclude=database'))).toMatchObject({ reason: 'draining' });
  });

  it('E4 R7: groups are listed with their status', () => {
    const kit = createHandlerKit(true);
    kit.publish(startedState([failing], { groups: [groupOf('replicas', ['database'])] }));
    expect(json(get(kit, '/readyz?verbose'))).toMatchObject({
      groups: { replicas: { status: 'fail', impact: 'critical' } },
    });
  });

  it('E4: a check has its own path', () => {
    const kit = failingKit(true);
    expect(get(kit, '/readyz/database').status).toBe(503);
    expect(get(kit, '/health/ready/order%20cache').status).toBe(200);
    expect(get(kit, '/readyz/datebase').status).toBe(404);
    expect(json(get(kit, '/readyz/database'))).toMatchObject({ name: 'database', status: 'fail' });
  });

  it('S2 L4: start-up and liveness tell names too', () => {
    const kit = createHandlerKit(true);
    const startup = { complete: false, timedOut: false, total: 2, remaining: ['prices'] };
    const progress = [{ slot: 0, name: 'orders', stallAfterMs: 1000 }];
    kit.publish(startedState([], { startup, progress, failingGuards: ['memory'] }));
    expect(json(get(kit, '/startupz?verbose'))).toMatchObject({ remainingTasks: ['prices'] });
    expect(json(get(kit, '/livez?verbose'))).toMatchObject({
      reasons: ['guard_failed:memory'],
      progress: ['orders'],
    });
  });
});

describe('on-demand checks', () => {
  it('C6: readiness waits for an evaluation, liveness and metrics do not', async () => {
    const kit = createHandlerKit();
    kit.publish(startedState([], { onDemand: true }));
    expect((await kit.handler.handle({ method: 'GET', url: '/readyz' })).status).toBe(200);
    expect(kit.evaluations).toBe(1);
    get(kit, '/livez');
    get(kit, '/startupz');
    get(kit, '/metrics');
    expect(kit.evaluations).toBe(1);
  });

  it('L8: readiness does not wait for a loop that stands still', () => {
    const kit = createHandlerKit();
    kit.publish(startedState([], { onDemand: true }));
    kit.block(1000);
    get(kit, '/readyz');
    expect(kit.evaluations).toBe(0);
  });
});
