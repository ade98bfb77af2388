import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConsulTtlOptions, reportToConsul } from '../src/consul.js';
import { type Health, createHealth } from '../src/index.js';
import { type ConsulAgent, startConsulAgent } from './support/consul-agent.js';
import { eventually } from './support/program.js';

const CHECK = {
  checkId: 'service:orders/1',
  serviceId: 'orders/1',
  ttlMs: 1000,
  token: 'b1g-s3cret',
};

let agent: ConsulAgent;
let health: Health;

beforeEach(async () => {
  agent = await startConsulAgent(CHECK);
  health = createHealth({
    probes: false,
    diagnostic: false,
    signals: false,
    logger: { info() {}, warn() {}, error() {} },
    env: {},
    shutdown: { propagationDelayMs: 300 },
  });
});
afterEach(async () => {
  await health.dispose();
  await agent.close();
});

function report(more: Partial<ConsulTtlOptions> = {}) {
  const logged: string[] = [];
  const log = (_: unknown, text: string) => logged.push(text);
  const logger = { info: log, warn: log, error: log };
  const { checkId, ttlMs, token } = CHECK;
  const reporter = reportToConsul(health, {
    checkId,
    ttlMs,
    token,
    url: agent.url,
    logger,
    ...more,
  });
  return { reporter, logged };
}

const becomes = (status: string, output: string) =>
  eventually(`${status} ${output}`, () => {
    const check = agent.check();
    return check?.status === status && check.output === output ? true : undefined;
  });

describe('E6: the Consul TTL reporter against the contract of the agent', () => {
  it('keeps the check passing, and makes it critical at the first moment of the drain', async () => {
    const { logged } = report();
    await becomes('critical', 'starting, stale');
    await health.start();
    await becomes('passing', 'ok');
    health.maintenance(true);
    await becomes('critical', 'maintenance');
    health.maintenance(false);
    await becomes('passing', 'ok');
    const before = agent.requests.length;
    await eventually('three reports', () => agent.requests.length >= before + 3 || undefined);
    expect(agent.check()).toEqual({ status: 'passing', output: 'ok' });
    const drained = health.shutdown();
    await becomes('critical', 'draining');
    await drained;
    expect(agent.check()).toEqual({ status: 'critical', output: 'stopped' });
    expect(logged).toEqual([]);
  });

  it('takes the service off at the end where it is asked to', async () => {
    report({ deregister: CHECK.serviceId });
    await health.start();
    await becomes('passing', 'ok');
    await health.shutdown();
    expect(agent.check()).toBeUndefined();
  });

  it('lets the check run out when it is disposed, as when the main loop stands still', async () => {
    const { reporter } = report();
    await health.start();
    await becomes('passing', 'ok');
    reporter.dispose();
    await becomes('critical', 'TTL expired');
    expect(agent.check()?.status).toBe('critical');
  });

  it.each([
    [
      'a check that the agent does not know',
      { checkId: 'orders' },
      /404 Unknown check ID "orders"/,
    ],
    ['a token without the right', { token: 'another' }, /403 Permission denied/],
    ['no agent', { url: 'http://127.0.0.1:1' }, /Consul was not told: .*/],
  ])('says what is wrong with %s, once', async (_, more, expected) => {
    const { logged, reporter } = report(more);
    await eventually('a line', () => logged.length > 0 || undefined);
    expect(logged).toEqual([expect.stringMatching(expected)]);
    expect(logged[0]).not.toContain('b1g-s3cret');
    reporter.dispose();
  });
});
