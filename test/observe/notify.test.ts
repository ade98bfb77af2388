import { describe, expect, it } from 'vitest';
import type { FetchLike } from '../../src/core/http-client.js';
import { type NoticedChange, type WebhookOptions, notifyWebhook } from '../../src/notify.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from '../engine/support.js';

interface Sent {
  readonly at: number;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;
}

const URL_WITH_SECRET = 'https://hooks.example.com/services/T0/B0/s3cret';

function setUp(options: Partial<WebhookOptions> = {}) {
  const clock = createManualClock();
  const { lines, logger } = createLog();
  const sent: Sent[] = [];
  const answers: (Response | Error | 'silence')[] = [];
  const fetch: FetchLike = (_, { body = '', headers, signal }) => {
    sent.push({ at: clock.now(), body: JSON.parse(body) as Sent['body'], headers });
    const answer = answers.shift() ?? new Response('ok');
    if (answer === 'silence')
      return new Promise((__, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  let listener: ((change: NoticedChange) => void) | undefined;
  let hook: ((signal: AbortSignal) => Promise<void>) | undefined;
  const health = {
    onChange(given: typeof listener) {
      listener = given;
      return () => (listener = undefined);
    },
    onShutdown(_: string, given: typeof hook) {
      hook = given;
      return () => (hook = undefined);
    },
  };
  const url = URL_WITH_SECRET;
  const notifier = notifyWebhook(health as never, { url, fetch, clock, logger, ...options });
  const start = clock.now();
  return {
    clock,
    lines,
    sent,
    answers,
    notifier,
    listening: () => [listener, hook].filter((each) => each !== undefined).length,
    shutdown: (signal: AbortSignal) => hook?.(signal),
    times: () => sent.map(({ at }) => at - start),
    readiness: (status: string, reason: string) =>
      listener?.({ kind: 'readiness', to: { status, reason: reason as never }, at: 0 }),
    check: (to: string, impact: 'critical' | 'optional' = 'critical', output = 'down') =>
      listener?.({ kind: 'check', check: 'database', impact, to, at: 0, outcome: { output } }),
    settle: () => clock.advance(0),
  };
}

describe('notifyWebhook', () => {
  it('O4: tells a problem of readiness and its recovery, in plain JSON', async () => {
    const kit = setUp({ service: 'orders' });
    kit.readiness('fail', 'check_failed:database');
    await kit.clock.advance(90_000);
    kit.readiness('pass', 'ok');
    await kit.settle();
    expect(kit.sent[0]?.body).toStrictEqual({
      version: 1,
      service: 'orders',
      kind: 'problem',
      subject: 'readiness',
      status: 'fail',
      reason: 'check_failed:database',
      at: '1970-01-01T00:00:00.000Z',
      suppressed: 0,
      text: 'orders: not ready, check_failed:database',
    });
    expect(kit.sent[1]?.body).toMatchObject({
      kind: 'recovery',
      lastedMs: 90_000,
      text: 'orders: ready again after 90 s',
    });
    expect(kit.sent[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(kit.notifier.pending).toBe(0);
  });

  it('O4: tells Slack in its own form, with texts escaped', async () => {
    const kit = setUp({ format: 'slack' });
    kit.check('fail', 'critical', '<b> & "co"');
    kit.check('pass');
    await kit.settle();
    expect(kit.sent.map(({ body }) => body)).toStrictEqual([
      { text: ':red_circle: check "database" fails, &lt;b&gt; &amp; "co"' },
      { text: ':large_green_circle: check "database" passes again within a second' },
    ]);
  });

  it('O4: start-up, drain and optional checks are no problems', async () => {
    const kit = setUp();
    for (const reason of ['starting', 'check_pending', 'maintenance', 'draining', 'stopped'])
      kit.readiness('fail', reason);
    kit.check('fail', 'optional');
    kit.check('unknown');
    await kit.settle();
    expect(kit.sent).toStrictEqual([]);
  });

  it('O4: to wait for a lease is a problem once readiness has passed, and not before', async () => {
    const kit = setUp();
    kit.readiness('fail', 'lease_lost');
    kit.readiness('pass', 'ok');
    await kit.settle();
    expect(kit.sent).toStrictEqual([]);
    kit.readiness('fail', 'lease_lost');
    await kit.settle();
    expect(kit.sent).toMatchObject([{ body: { kind: 'problem', reason: 'lease_lost' } }]);
  });

  it('O4: a dependency that flaps each second for an hour is told of a bounded number of times', async () => {
    const kit = setUp();
    for (let second = 0; second < 3600; second += 1) {
      kit.check(second % 2 === 0 ? 'fail' : 'pass');
      await kit.clock.advance(1000);
    }
    expect(kit.sent.length).toBeLessThanOrEqual(2 * 13);
    expect(kit.sent.at(-2)?.body['suppressed']).toBeGreaterThan(100);
  });

  it('O4: tries again with longer and longer pauses, in order, and logs no secret', async () => {
    const kit = setUp();
    kit.answers.push(
      new Error(`connect ${URL_WITH_SECRET} refused`),
      new Response('', { status: 500 }),
    );
    kit.check('fail');
    kit.check('pass');
    await kit.clock.advance(20_000);
    expect(kit.sent.map(({ body }) => body['kind'])).toStrictEqual([
      'problem',
      'problem',
      'problem',
      'recovery',
    ]);
    const [, second = 0, third = 0] = kit.times();
    expect(second).toBeGreaterThanOrEqual(500);
    expect(third - second).toBeGreaterThanOrEqual(1000);
    expect(kit.lines.map(({ fields }) => fields['event'])).toStrictEqual(['notification_failed']);
    expect(JSON.stringify(kit.lines)).not.toContain('s3cret');
    expect(kit.clock.pendingTimers).toBe(0);
  });

  it('O4: waits as long as the other side asks', async () => {
    const kit = setUp();
    kit.answers.push(new Response('', { status: 429, headers: { 'retry-after': '30' } }));
    kit.check('fail');
    await kit.clock.advance(60_000);
    expect(kit.times()).toStrictEqual([0, 30_000]);
  });

  it('O4: gives up on a refusal at once, on silence after the attempts, and says so', async () => {
    const kit = setUp({ attempts: 2, timeoutMs: 100 });
    kit.answers.push(new Response('', { status: 404 }), 'silence', 'silence');
    kit.check('fail');
    await kit.settle();
    kit.check('pass');
    await kit.clock.advance(10_000);
    expect(kit.sent).toHaveLength(3);
    expect(kit.notifier.pending).toBe(0);
    expect(kit.lines.map(({ message }) => message)).toStrictEqual([
      'a notification is lost: answered 404',
      'a notification could not be sent yet: no answer within 100 ms',
      'a notification is lost: no answer within 100 ms',
    ]);
  });

  it('O4: the end of the process tries once what is pending, and then it is lost', async () => {
    const kit = setUp();
    kit.answers.push(new Error('away'), new Response('ok'), 'silence');
    kit.check('fail');
    kit.check('pass');
    kit.readiness('fail', 'fatal');
    await kit.settle();
    const done = kit.shutdown(new AbortController().signal);
    await kit.clock.advance(2000);
    await done;
    expect(kit.sent.map(({ body }) => body['kind'])).toStrictEqual([
      'problem',
      'problem',
      'recovery',
    ]);
    expect(kit.lines.at(-1)).toMatchObject({
      level: 'error',
      fields: { event: 'notification_lost' },
    });
    expect(kit.notifier.pending).toBe(0);
    expect(kit.clock.pendingTimers).toBe(0);
  });

  it('O4: a webhook that is away for long holds a bounded number', async () => {
    const kit = setUp({ throttleMs: 1 });
    kit.answers.push('silence');
    for (let index = 0; index < 300; index += 1) {
      kit.check(index % 2 === 0 ? 'fail' : 'pass');
      kit.clock.jump(5);
    }
    expect(kit.notifier.pending).toBe(100);
    kit.notifier.dispose();
    await kit.settle();
    expect(kit.listening()).toBe(0);
    expect(kit.clock.pendingTimers).toBe(0);
  });

  it('O4: a format of the caller that throws loses that notification only', async () => {
    const kit = setUp({
      format: ({ kind }) => {
        if (kind === 'problem') throw new Error('no');
        return { kind };
      },
    });
    kit.check('fail');
    kit.check('pass');
    await kit.settle();
    expect(kit.sent.map(({ body }) => body)).toStrictEqual([{ kind: 'recovery' }]);
    expect(kit.lines).toHaveLength(1);
  });

  it.each([
    [{ url: 'nowhere' }, 'url'],
    [{ format: 'xml' as never }, 'format'],
    [{ attempts: 0 }, 'attempts'],
    [{ throttleMs: -1 }, 'throttleMs'],
    [{ impacts: ['huge' as never] }, 'impacts'],
  ])('O4: a wrong option is named: %j', (options, name) => {
    expect(() => setUp(options)).toThrow(name);
  });
});
