import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpUpstreamOptions, httpUpstream } from '../../src/checks/http.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { type CheckHarness, harness } from '../support/run-check.js';

let server: Server | undefined;
let connections = 0;

afterEach(async () => {
  server?.closeAllConnections();
  if (server?.listening === true) await new Promise((resolve) => server?.close(resolve));
});

async function upstream(listener: RequestListener, options: HttpUpstreamOptions = {}) {
  connections = 0;
  server = createServer(listener).on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://user:hunter2@127.0.0.1:${port}/health`;
  return { port, check: harness(httpUpstream(url, options), systemClock, 500) };
}

async function runs(check: CheckHarness, count: number) {
  const statuses = new Set<string>();
  for (let run = 0; run < count; run += 1) statuses.add((await check.run()).status);
  return [...statuses];
}

describe('httpUpstream against a real server', () => {
  it('reads every body, so that a hundred runs need no hundred connections', async () => {
    const { check } = await upstream((request, response) => {
      const expected = `Basic ${btoa('user:hunter2')}`;
      response.statusCode = request.headers.authorization === expected ? 200 : 401;
      response.end('x'.repeat(50_000));
    });
    expect(await runs(check, 100)).toEqual(['pass']);
    // One more may open when a run starts before the socket of the last one is free again.
    expect(connections).toBeLessThanOrEqual(3);
  });

  it('passes with HEAD', async () => {
    const { check } = await upstream(
      (request, response) => response.writeHead(request.method === 'HEAD' ? 200 : 405).end(),
      { method: 'HEAD' },
    );
    expect(await runs(check, 3)).toEqual(['pass']);
  });

  it('case 25: does not follow a redirect', async () => {
    const paths: (string | undefined)[] = [];
    const { check } = await upstream((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/login' }).end();
    });
    expect((await check.run()).output).toMatch(/answered 302 with a redirect to http:.*\/login/);
    expect(paths).toEqual(['/health']);
  });

  it('healthy, stopped, restarted: fails with the cause and recovers without help', async () => {
    const { port, check } = await upstream((_, response) => response.end('ok'));
    expect(await runs(check, 1)).toEqual(['pass']);
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
    const outcome = await check.run();
    expect(outcome).toMatchObject({ status: 'fail' });
    expect(outcome.output).toContain('ECONNREFUSED');
    expect(outcome.output).not.toContain('hunter2');
    server?.listen(port, '127.0.0.1');
    await once(server as Server, 'listening');
    expect(await runs(check, 1)).toEqual(['pass']);
  });

  it.each([
    ['headers never come', () => {}],
    ['the body never ends', (_, response) => response.write('{')],
  ] satisfies [string, RequestListener][])(
    'gives its verdict within the deadline when %s',
    async (_, listener) => {
      const { check } = await upstream(listener);
      const outcome = await check.run();
      expect(outcome.status).toBe('fail');
      expect(outcome.durationMs).toBeLessThan(700);
    },
  );
});
