import { describe, expect, it } from 'vitest';
import { type ConsulHealthSource, reportToConsul } from '../src/consul.js';
import { decide } from '../src/core/decision.js';
import type { DrainHook } from '../src/engine/drain-hooks.js';
import { createManualClock } from '../src/testing/manual-clock.js';

const good = decide([], []);
const down = decide(['check_failed:database', 'at_capacity'], []);

function createKit(more: object = {}) {
  const clock = createManualClock();
  const listeners = new Set<() => void>();
  const hooks = new Map<string | undefined, DrainHook>();
  const logged: string[] = [];
  const log = (fields: object) => logged.push((fields as { event: string }).event);
  const kit = {
    clock,
    logged,
    hooks,
    listeners,
    readiness: good,
    requests: [] as { url: string; headers: Record<string, string>; method: string }[],
    answer: async (): Promise<Response> => new Response(''),
    async change(readiness: typeof good) {
      kit.readiness = readiness;
      for (const listener of listeners) listener();
      await clock.settle();
    },
    /** Paths of the requests, without the fixed part. */
    paths: () => kit.requests.map(({ url }) => url.replace('http://agent:8500/v1/agent/', '')),
  };
  const health: ConsulHealthSource = {
    report: () => ({ readiness: kit.readiness }),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onShutdown(_, hook, options) {
      hooks.set(options?.stage, hook);
      return () => void hooks.delete(options?.stage);
    },
  };
  const reporter = reportToConsul(health, {
    checkId: 'service:orders-1',
    ttlMs: 30_000,
    url: 'http://agent:8500',
    clock,
    logger: { info: log, warn: log, error: log },
    fetch: (url, init) => {
      kit.requests.push({ url, ...init });
      return kit.answer();
    },
    ...more,
  });
  return Object.assign(kit, { reporter });
}

const PASS = 'check/pass/service%3Aorders-1?note=ok';
const FAIL = 'check/fail/service%3Aorders-1?note=check_failed%3Adatabase%2C%20at_capacity';

describe('E6: the Consul TTL reporter', () => {
  it('reports at once, three times per time to live, and each change when it happens', async () => {
    const kit = createKit();
    await kit.clock.settle();
    expect(kit.paths()).toEqual([PASS]);
    expect(kit.requests[0]).toMatchObject({ method: 'PUT', redirect: 'manual' });
    await kit.clock.advance(30_000);
    expect(kit.paths()).toEqual([PASS, PASS, PASS, PASS]);
    await kit.change(down);
    expect(kit.paths().slice(4)).toEqual([FAIL]);
    await kit.change(decide([], ['check_degraded:cache']));
    expect(kit.paths().slice(5)).toEqual([
      'check/warn/service%3Aorders-1?note=check_degraded%3Acache',
    ]);
  });

  it('finds an agent below a path', async () => {
    for (const url of ['http://gateway/consul', 'http://gateway/consul/']) {
      const kit = createKit({ url });
      await kit.clock.settle();
      expect(kit.requests.map((request) => request.url)).toEqual([
        `http://gateway/consul/v1/agent/${PASS}`,
      ]);
    }
  });

  it('reports no event that changes nothing', async () => {
    const kit = createKit();
    await kit.clock.settle();
    for (let count = 0; count < 20; count += 1) await kit.change(good);
    expect(kit.requests).toHaveLength(1);
  });

  it('has one report under way, and what changed meanwhile in the next', async () => {
    const kit = createKit();
    let arrive = (): void => {};
    kit.answer = () => new Promise((resolve) => (arrive = () => resolve(new Response(''))));
    await kit.clock.advance(10_000);
    await kit.change(down);
    await kit.change(good);
    await kit.change(down);
    expect(kit.requests).toHaveLength(2);
    kit.answer = async () => new Response('');
    arrive();
    await kit.clock.advance(1);
    expect(kit.paths().slice(2)).toEqual([FAIL]);
  });

  it('backs off while Consul does not answer, says so once, and goes on with what is', async () => {
    const kit = createKit();
    await kit.clock.settle();
    kit.answer = async () => new Response('Unknown check ID "x"', { status: 404 });
    await kit.clock.advance(10_000 + 60_000);
    const attempts = kit.requests.length - 1;
    expect(attempts).toBeGreaterThanOrEqual(6);
    expect(attempts).toBeLessThanOrEqual(8);
    kit.readiness = down;
    kit.answer = async () => new Response('');
    await kit.clock.advance(33_000);
    expect(kit.paths().at(-1)).toBe(FAIL);
    expect(kit.logged).toEqual(['consul_unreported', 'consul_reported']);
  });

  it('tries no more often because of events that change nothing, and at once what is news', async () => {
    const kit = createKit();
    await kit.clock.settle();
    kit.answer = async () => new Response('', { status: 500 });
    for (let event = 0; event < 20; event += 1) await kit.change(down);
    expect(kit.paths().slice(1)).toEqual([FAIL]);
    await kit.change(good);
    await kit.change(down);
    expect(kit.paths().slice(2)).toEqual([PASS, FAIL]);
    kit.answer = async () => new Response('');
    await kit.clock.advance(5000);
    expect(kit.paths().slice(4)).toEqual([FAIL]);
    expect(kit.logged).toEqual(['consul_unreported', 'consul_reported']);
  });

  it('gives up a request that is not answered within two seconds', async () => {
    const kit = createKit();
    kit.answer = () => new Promise(() => {});
    await kit.clock.advance(10_000 + 2000);
    kit.answer = async () => new Response('');
    await kit.clock.advance(1200);
    expect(kit.requests).toHaveLength(3);
    expect(kit.logged).toEqual(['consul_unreported', 'consul_reported']);
  });

  it('D1: leaves the check critical at the end of the drain, or takes the service off', async () => {
    const { signal } = new AbortController();
    const kit = createKit();
    await kit.clock.settle();
    await kit.change(decide(['draining'], []));
    await kit.hooks.get('lease_release')?.(signal);
    expect(kit.paths().slice(1)).toEqual([
      'check/fail/service%3Aorders-1?note=draining',
      'check/fail/service%3Aorders-1?note=stopped',
    ]);
    const other = createKit({ deregister: 'orders 1' });
    await other.hooks.get('lease_release')?.(signal);
    expect(other.paths().at(-1)).toBe('service/deregister/orders%201');
    for (const { clock, listeners, hooks } of [kit, other]) {
      expect(clock.pendingTimers).toBe(0);
      expect(listeners.size + hooks.size).toBe(0);
    }
  });

  it('E7: sends the token as a header and keeps it out of texts', async () => {
    const kit = createKit({ token: 'b1gs33cret-b1gs33cret' });
    await kit.clock.settle();
    expect(kit.requests[0]?.headers['x-consul-token']).toBe('b1gs33cret-b1gs33cret');
    expect(kit.requests[0]?.url).not.toContain('b1gs33cret');
    expect(() => createKit({ token: 'b1gs33cret with a space' })).not.toThrow(/b1gs33cret/);
    // What stands between may show what it was sent, and a redirect would take it elsewhere.
    const answers = [
      () => new Response('rejected: b1gs33cret-b1gs33cret', { status: 500 }),
      () => new Response('', { status: 307, headers: { location: 'http://other/' } }),
      () => Promise.reject(new Error('connect with b1gs33cret-b1gs33cret failed')),
    ];
    for (const answer of answers) {
      const texts: string[] = [];
      const log = (_: object, text: string) => texts.push(text);
      const logger = { info: log, warn: log, error: log };
      const requests: string[] = [];
      const fetch = async (url: string) => {
        requests.push(url);
        return answer();
      };
      const { clock, reporter } = createKit({ token: 'b1gs33cret-b1gs33cret', logger, fetch });
      await clock.settle();
      reporter.dispose();
      expect(texts).toEqual([expect.stringMatching(/^Consul was not told: /)]);
      expect(texts.join()).not.toContain('b1gs33cret');
      expect(requests).toHaveLength(1);
    }
  });

  it('refuses what is no option', () => {
    const bad = (more: object) => () => createKit(more);
    expect(bad({ checkId: '' })).toThrow('checkId must be a text of 1 to 1024 characters, got ""');
    expect(bad({ ttlMs: 500 })).toThrow('ttlMs must be a number from 1000');
    expect(bad({ url: 'consul:8500' })).toThrow('url must be an absolute http or https URL');
    expect(bad({ token: 'with space' })).toThrow('token must be a text without spaces');
    expect(bad({ deregister: 7 })).toThrow('deregister must be a text');
    expect(bad({ fetch: 7 })).toThrow('fetch must be a function');
    expect(() => reportToConsul({} as never, { checkId: 'a', ttlMs: 1000 })).toThrow(
      'reportToConsul (a health): report must be a function',
    );
  });
});
