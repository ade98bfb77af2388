import { describe, expect, it } from 'vitest';
import { type FetchLike, type HttpUpstreamOptions, httpUpstream } from '../../src/checks/http.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

type Call = { url: string; init: Parameters<FetchLike>[1] };

const URL_WITH_SECRETS = 'https://user:p%40ss@mail.example/health?key=hunter2';

function setup(answer: () => Response | Promise<Response>, options: HttpUpstreamOptions = {}) {
  const calls: Call[] = [];
  const fetch: FetchLike = async (url, init) => {
    calls.push({ url, init });
    return answer();
  };
  const clock = createManualClock();
  const check = harness(httpUpstream(URL_WITH_SECRETS, { fetch, ...options }), clock);
  return { calls, clock, check };
}

const status = (code: number, headers: Record<string, string> = {}) =>
  new Response(null, { status: code, headers });

describe('httpUpstream', () => {
  it('sends one GET without following redirects, credentials as a header', async () => {
    const { calls, check } = setup(() => status(204), { headers: { 'User-Agent': 'mine' } });
    expect((await check.run()).status).toBe('pass');
    expect(calls).toHaveLength(1);
    expect(calls[0]?.url).toBe('https://mail.example/health?key=hunter2');
    expect(calls[0]?.init).toMatchObject({
      method: 'GET',
      redirect: 'manual',
      headers: { authorization: `Basic ${btoa('user:p@ss')}`, 'user-agent': 'mine' },
    });
  });

  it.each([
    [199, 'fail', 'GET https://mail.example/health answered 199'],
    [200, 'pass', undefined],
    [299, 'pass', undefined],
    [404, 'fail', 'GET https://mail.example/health answered 404'],
    [503, 'fail', 'GET https://mail.example/health answered 503'],
  ])('judges %i by the default range', async (code, verdict, output) => {
    // Response refuses to be made with an informational status.
    const response = { status: code, type: 'default', body: null, headers: new Headers() };
    const { check } = setup(() => response as unknown as Response);
    const outcome = await check.run();
    expect([outcome.status, outcome.output]).toEqual([verdict, output]);
  });

  it('judges by the given statuses and ranges', async () => {
    const expectedStatus = [401, [500, 502]] as const;
    for (const [code, verdict] of [
      [401, 'pass'],
      [501, 'pass'],
      [200, 'fail'],
      [503, 'fail'],
    ] as const) {
      const { check } = setup(() => status(code), { expectedStatus });
      expect((await check.run()).status).toBe(verdict);
    }
  });

  it('case 25: a redirect fails with a text that says where to, without secrets', async () => {
    const location = 'https://user:pw@login.example/start?token=hunter2';
    const { check } = setup(() => status(302, { location }));
    expect(await check.run()).toMatchObject({
      status: 'fail',
      output:
        'GET https://mail.example/health answered 302 with a redirect to https://login.example/start; redirects are not followed',
    });
  });

  it('a redirect passes when it is what is expected', async () => {
    const { check } = setup(() => status(301), { expectedStatus: [301] });
    expect((await check.run()).status).toBe('pass');
  });

  it('E7: no text carries credentials or the query', async () => {
    for (const answer of [
      () => status(500),
      () => Promise.reject(new Error('fetch failed', { cause: new Error('ECONNREFUSED') })),
      () => new Response('hunter2'),
    ]) {
      const { check } = setup(answer, { acceptBody: () => false });
      const outcome = await check.run();
      expect(outcome.status).toBe('fail');
      expect(outcome.output).not.toMatch(/hunter2|p%40ss|p@ss/);
    }
  });

  it('judges the body', async () => {
    const acceptBody = (body: string) => body.includes('"up"');
    const good = setup(() => new Response('{"state":"up"}'), { acceptBody });
    expect((await good.check.run()).status).toBe('pass');
    const bad = setup(() => new Response('{"state":"down"}'), { acceptBody });
    expect(await bad.check.run()).toMatchObject({
      status: 'fail',
      output: 'GET https://mail.example/health sent a body that was refused',
    });
  });

  it.each([
    [{ acceptBody: () => true }, 'GET https://mail.example/health sent more than 5000 bytes'],
    [{}, undefined],
  ])('reads no more than the limit of an endless body (%o)', async (options, output) => {
    let chunks = 0;
    let cancelled = false;
    const body = new ReadableStream({
      pull: (controller) => {
        chunks += 1;
        controller.enqueue(new Uint8Array(1_000));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    const { check } = setup(() => new Response(body), { ...options, maxBodyBytes: 5_000 });
    expect((await check.run()).output).toBe(output);
    expect(chunks).toBeLessThan(10);
    expect(cancelled).toBe(true);
  });

  it('cancels the body of an unexpected answer', async () => {
    let cancelled = false;
    const body = new ReadableStream({
      cancel: () => {
        cancelled = true;
      },
    });
    const { check } = setup(() => new Response(body, { status: 500 }));
    expect((await check.run()).status).toBe('fail');
    expect(cancelled).toBe(true);
  });

  it('C2: settles on the signal though fetch ignores it, and lets a late answer go', async () => {
    let cancelled = false;
    let answer: (response: Response) => void = () => {};
    const { clock, check } = setup(() => new Promise<Response>((resolve) => (answer = resolve)));
    const run = check.run();
    await clock.advance(1_000);
    expect(await run).toMatchObject({ status: 'fail', durationMs: 1_000 });
    const cancel = () => {
      cancelled = true;
    };
    answer(new Response(new ReadableStream({ cancel })));
    await clock.settle();
    expect(cancelled).toBe(true);
  });

  it('C2: settles on the signal while the body hangs, and cancels it', async () => {
    let cancelled = false;
    const cancel = () => {
      cancelled = true;
    };
    const { clock, check } = setup(() => new Response(new ReadableStream({ cancel })));
    const run = check.run();
    await clock.advance(1_000);
    expect(await run).toMatchObject({ status: 'fail', durationMs: 1_000 });
    expect(cancelled).toBe(true);
  });

  it.each([
    ['not a url', {}, 'httpUpstream.url must be an absolute http or https URL'],
    ['ftp://user:hunter2@host/', {}, 'httpUpstream.url must be an absolute http or https URL'],
    ['http://h/', { method: 'POST' as 'GET' }, 'httpUpstream.method must be one of "GET", "HEAD"'],
    ['http://h/', { maxBodyBytes: 0 }, 'httpUpstream.maxBodyBytes must be a whole number from 1'],
    ['http://h/', { expectedStatus: [] }, 'httpUpstream.expectedStatus must be a list'],
    ['http://h/', { expectedStatus: [99] }, 'httpUpstream.expectedStatus must be a whole number'],
    ['http://h/', { expectedStatus: [[300, 200]] as const }, 'httpUpstream.expectedStatus must'],
    ['http://h/', { headers: { 'x-key': 'hunter2\n2' } }, 'httpUpstream.headers.x-key must be a'],
    ['http://h/', { method: 'HEAD', acceptBody: () => true } as const, 'httpUpstream.acceptBody'],
    ['http://h/', { fetch: 1 as unknown as FetchLike }, 'httpUpstream.fetch must be a function'],
  ])('names the bad option for %s %o', (url, options, message) => {
    let text = '';
    try {
      httpUpstream(url, options);
    } catch (error) {
      text = (error as Error).message;
    }
    expect(text).toContain(message);
    expect(text).not.toContain('hunter2');
  });
});
