import { describe, expect, it } from 'vitest';
import { type HealthJsonOptions, healthJson } from '../../src/checks/health-json.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

const clock = createManualClock();
const PEER = 'http://user:hunter2@peer.example/health?key=1';

function run(status: number, body: string | object, options: HealthJsonOptions = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const fetch = async () => new Response(text, { status });
  return harness(healthJson(PEER, { fetch, ...options }), clock).run();
}

describe('healthJson', () => {
  it.each([
    [200, { status: 'pass' }, 'pass', undefined],
    [200, { status: 'UP' }, 'pass', undefined],
    [200, { status: 'warn' }, 'warn', 'peer_warns'],
    [503, { status: 'fail' }, 'fail', 'peer_fails'],
    [200, { status: 'down' }, 'fail', 'peer_fails'],
    [503, { status: 'pass' }, 'fail', 'peer_fails'],
    [500, { status: 'warn' }, 'fail', 'peer_fails'],
  ])('HTTP %i with %j is %s', async (httpStatus, body, status, code) => {
    const outcome = await run(httpStatus, body);
    expect(outcome.status).toBe(status);
    expect(outcome.code).toBe(code);
  });

  it('names the checks of the peer that do not pass, a few of them', async () => {
    const entry = (status: string) => [{ status }];
    const checks = {
      'database:responseTime': entry('fail'),
      'cache:connections': entry('pass'),
      mail: entry('warn'),
    };
    expect(await run(503, { status: 'fail', checks })).toMatchObject({
      output: 'GET http://peer.example/health answered 503, fail: database:responseTime, mail',
      observedValue: 'fail',
    });
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`c${n}`, entry('fail')]));
    const { output } = await run(503, { status: 'fail', checks: many });
    expect(output).toMatch(/: c0, c1, c2, c3, c4 and 4 more$/);
  });

  it.each([
    ['<html>login</html>', 'not JSON'],
    [{ status: 'splendid' }, 'no known status'],
    [[], 'not a JSON object'],
    ['', 'not JSON'],
  ])('%j is no health document, and no pass', async (body, why) => {
    const outcome = await run(200, body);
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toContain(why);
  });

  it('does not judge a document that is too long', async () => {
    const outcome = await run(
      200,
      { status: 'pass', notes: ['x'.repeat(100)] },
      { maxBodyBytes: 50 },
    );
    expect(outcome.output).toMatch(/with more than 50 bytes/);
  });

  it('asks for health+json, follows no redirect, and keeps credentials out of the URL', async () => {
    const asked: unknown[] = [];
    const fetch: HealthJsonOptions['fetch'] = async (url, { headers, redirect, method }) => {
      asked.push({ url, headers, redirect, method });
      return new Response('{"status":"pass"}');
    };
    await run(200, '', { fetch, headers: { Accept: 'application/json' } });
    expect(asked).toEqual([
      {
        url: 'http://peer.example/health?key=1',
        headers: {
          accept: 'application/json',
          authorization: `Basic ${btoa('user:hunter2')}`,
          'user-agent': 'hale',
        },
        redirect: 'manual',
        method: 'GET',
      },
    ]);
  });

  it('holds its deadline, and no text tells the password', async () => {
    const fetch = () => new Promise<Response>(() => {});
    const running = run(200, '', { fetch });
    await clock.advance(1_000);
    expect(await running).toMatchObject({ status: 'fail', durationMs: 1_000 });
    const refused = await run(200, '', { fetch: () => Promise.reject(new Error(`no ${PEER}`)) });
    expect(refused.output).not.toContain('hunter2');
  });

  it('R9: refuses to be critical, and says why', () => {
    expect(() => healthJson(PEER, { impact: 'critical' as 'degraded' })).toThrow(
      /healthJson.impact must be "degraded" or "optional", because health must not cascade: .*, got "critical"/,
    );
    expect(healthJson(PEER).impact).toBe('degraded');
    expect(healthJson(PEER, { impact: 'optional' }).impact).toBe('optional');
  });

  it('names the bad option', () => {
    expect(() => healthJson('peer/health')).toThrow(/healthJson.url must be an absolute/);
    expect(() => healthJson(PEER, { maxBodyBytes: 0 })).toThrow(/healthJson.maxBodyBytes must be/);
    expect(() => healthJson(PEER, { fetch: 1 as never })).toThrow(/healthJson.fetch must be/);
  });
});
